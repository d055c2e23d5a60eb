import { describe, expect, it } from 'vitest';
import { apiKey } from '../helpers/api.ts';
import { serveFunctions } from '../helpers/gateway.ts';
import { answersIn, sendBytes } from '../helpers/rawHttp.ts';

const gateway = serveFunctions();
const authorization = `Bearer ${apiKey}`;

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

  it.each([
    ['an expectation that it does not know', `Host: x\r\nExpect: tea\r\n`],
    ['no Host header', ''],
  ])('serves a request with %s', async (_case, headers) => {
    const answer = await sendRaw(
      `GET /v1/pets HTTP/1.1\r\n${headers}Authorization: ${authorization}\r\nConnection: close\r\n\r\n`,
    );

    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('sends the answer to a good request, whatever follows it on the connection', async () => {
    const body = '{"name":"Rex","categoryId":1}';
    const answer = await sendRaw(
      `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nContent-Length: ${body.length}\r\n\r\n${body}NONSENSE\r\n\r\n`,
    );

    expect(answer).toMatch(/^HTTP\/1\.1 201 /);
  });

  it('builds no link from a Host header that is no host', async () => {
    const answer = await sendRaw(
      `GET /v1/pets/1 HTTP/1.1\r\nHost: evil>"; x\r\nAuthorization: ${authorization}\r\nConnection: close\r\n\r\n`,
    );

    expect(answer).not.toContain('evil');
    expect(answer).toMatch(/Link: <http:\/\/localhost:\d+\/v1\/pets>/);
  });
});
