import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, vi } from 'vitest';
import { apiKey } from '../helpers/api.ts';
import { serveFunctions } from '../helpers/gateway.ts';
import { answersIn, sendBytes } from '../helpers/rawHttp.ts';

const gateway = serveFunctions();
const authorization = `Bearer ${apiKey}`;

const rex = '{"name":"Rex","categoryId":1}';
const create = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nContent-Length: ${rex.length}\r\n\r\n${rex}`;

/** Sends bytes as they are, and holds the answer against the description. */
async function sendRaw(request: string): Promise<string> {
  const received = await sendBytes(gateway.server, request);
  const [method = '', path = ''] = request.split(/[ ?]/);
  answersIn(received, method, path);
  return received;
}

describe('createLocalGateway, given a request byte for byte', () => {
  it('answers 401 for two Authorization headers', async () => {
    const header = `Authorization: ${authorization}\r\n`;

    const answer = await sendRaw(
      `GET /v1/pets HTTP/1.1\r\nHost: x\r\n${header}${header}Connection: close\r\n\r\n`,
    );

    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
  });

  it.each([
    ['headers beyond 16 KiB', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['no HTTP at all', 'hello\r\n\r\n'],
    [
      'two lengths',
      'POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
    ],
    [
      'a length and chunks',
      'POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    ],
  ])('answers 400 with an Error body for a request of %s', async (_case, request) => {
    const answer = await sendRaw(request);

    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(head).toContain('Cache-Control: no-store');
    expect(JSON.parse(body)).toMatchObject({ code: 'bad_request', status: 400 });
  });

  it('answers 400 with an Error body for CONNECT', async () => {
    const answer = await sendRaw('CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n');

    expect(answer).toMatch(/^HTTP\/1\.1 400 .+"code":"bad_request"/s);
  });

  it('lets go of a connection after CONNECT, though the client keeps it or resets it', async () => {
    const { port } = gateway.server.address() as AddressInfo;
    const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    client.write('CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n');

    const [, connection] = await once(gateway.server, 'connect');

    await vi.waitUntil(() => connection.destroyed);
    expect(() => connection.emit('error', new Error('read ECONNRESET'))).not.toThrow();
    client.destroy();
  });

  it.each([
    ['an expectation that it does not know', `Host: x\r\nExpect: tea\r\n`],
    ['no Host header', ''],
  ])('serves a request with %s', async (_case, headers) => {
    const answer = await sendRaw(
      `GET /v1/pets HTTP/1.1\r\n${headers}Authorization: ${authorization}\r\nConnection: close\r\n\r\n`,
    );

    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });

  it.each([
    'NONSENSE\r\n\r\n',
    'CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n',
    'POST /v1/pets HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nNONSENSE',
  ])('sends the answer to a good request, and no more, where %j follows it', async (bytes) => {
    const answer = await sendRaw(`${create}${bytes}`);

    expect(answer).toMatch(/^HTTP\/1\.1 201 /);
  });

  it('sends the answers to all good requests, whatever follows the first answer', async () => {
    const socket = connect((gateway.server.address() as AddressInfo).port, '127.0.0.1');
    socket.write(`GET /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n${create}`);
    const received = text(socket);
    await once(socket, 'data');
    socket.write('NONSENSE\r\n\r\n');

    expect(await received).toMatch(/^HTTP\/1\.1 401 .+}HTTP\/1\.1 201 /s);
  });

  it('builds no link from a Host header that is no host', async () => {
    const answer = await sendRaw(
      `GET /v1/pets/1 HTTP/1.1\r\nHost: evil>"; x\r\nAuthorization: ${authorization}\r\nConnection: close\r\n\r\n`,
    );

    expect(answer).not.toContain('evil');
    expect(answer).toMatch(/Link: <http:\/\/localhost:\d+\/v1\/pets>/);
  });
});
