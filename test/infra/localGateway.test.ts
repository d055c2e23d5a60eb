import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { createLocalGateway, type HandledRequest } from '../../infra/local/localGateway.ts';
import { apiKey } from '../helpers/api.ts';
import { captureLog } from '../helpers/captureLog.ts';
import { functions, serveFunctions } from '../helpers/gateway.ts';
import { listen } from '../helpers/listen.ts';
import { responsesIn, sendBytes } from '../helpers/rawHttp.ts';

const handled: HandledRequest[] = [];
const gateway = serveFunctions(functions, { onHandled: (each) => handled.push(each) });
const authorization = `Bearer ${apiKey}`;

const send = (path: string, init: RequestInit = {}) =>
  fetch(`${gateway.origin}${path}`, { ...init, headers: { authorization, ...init.headers } });

/** Sends bytes and asserts that the response matches the OpenAPI document. */
async function sendRaw(bytes: string): Promise<string> {
  const received = await sendBytes(gateway.server, bytes);
  const [method = '', path = ''] = bytes.split(/[ ?]/);
  responsesIn(received, method, path);
  return received;
}

describe('a request over HTTP', () => {
  it.each([
    ['GET', '/', 404],
    ['GET', '/v1/pets/%E0%A4%A', 404],
    ['PROPFIND', '/v1/pets', 405],
    ['QUERY', '/v1/pets', 405],
  ])('gets the status of API Gateway: %s %s %i', async (method, path, status) => {
    const response = await send(path, { method });

    expect(response.status).toBe(status);
    expect(response.headers.get('Content-Type')).toBe('application/json');
    expect(response.headers.get('Allow')?.includes('GET')).toBe(status === 405 ? true : undefined);
  });

  it('gets 415 from the function for a Content-Type that is not a media type', async () => {
    const headers = { 'Content-Type': 'not a media type' };

    const response = await send('/v1/pets', { method: 'POST', body: '{}', headers });

    expect(response.status).toBe(415);
  });

  it('gets no compressed response, and 400 for a compressed body', async () => {
    const asked = await send('/v1/pets', { headers: { 'Accept-Encoding': 'gzip' } });
    const sent = await send('/v1/pets', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' },
      body: gzipSync('{"name":"Rex","categoryId":7}'),
    });

    expect([asked.status, asked.headers.get('content-encoding')]).toEqual([200, null]);
    expect(sent.status).toBe(400);
  });

  it('gets 413 if the body exceeds the limit of the gateway', async () => {
    const body = Buffer.alloc(11 * 1024 * 1024, ' ');

    const response = await send('/v1/pets', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body,
    });

    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ code: 'payload_too_large', status: 413 });
  });

  it('gets 500 with an Error body if a function throws past its middleware stack', async () => {
    const log = captureLog();
    const broken = createLocalGateway({
      ...functions,
      listPets: () => Promise.reject(new Error('broken')),
    });
    const origin = await listen(broken);

    const response = await fetch(`${origin}/v1/pets`);

    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ code: 'internal_error', status: 500 });
    expect(log.text()).toContain('broken');
  });

  it('succeeds in a burst of 300 creates and lists', async () => {
    const post = { method: 'POST', body: '{"name":"Rex","categoryId":1}' };
    const headers = { 'Content-Type': 'application/json' };

    const responses = await Promise.all(
      Array.from({ length: 300 }, (_, n) =>
        n % 2 === 0 ? send('/v1/pets', { ...post, headers }) : send('/v1/pets?limit=100'),
      ),
    );

    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200, 201]));
  });
});

describe('onHandled', () => {
  it('gets method, path without query, status and duration', async () => {
    handled.length = 0;

    await (await send('/v1/pets?cursor=secret')).text();
    await vi.waitUntil(() => handled.length > 0);

    expect(handled).toEqual([
      expect.objectContaining({ method: 'GET', path: '/v1/pets', status: 400 }),
    ]);
    expect(handled[0]?.durationMs).toBeGreaterThan(0);
  });

  it('gets the code, the fields at fault without their values, and the request id of an error', async () => {
    handled.length = 0;

    const body = '{"name":"","categoryId":"secret; status must "}';
    const headers = { 'Content-Type': 'application/json' };
    const refused = await send('/v1/pets', { method: 'POST', headers, body });
    await refused.text();
    await vi.waitUntil(() => handled.length > 0);

    expect(handled[0]?.error).toEqual({
      code: 'bad_request',
      fields: ['name', 'categoryId'],
      requestId: refused.headers.get('X-Request-Id'),
    });
  });

  it('gets no error of a success', async () => {
    handled.length = 0;

    await (await send('/v1/pets')).text();
    await vi.waitUntil(() => handled.length > 0);

    expect(handled[0]).not.toHaveProperty('error');
  });

  it('gets 499 if a client disconnects during its request, and the next request succeeds', async () => {
    const log = captureLog();
    const socket = connect((gateway.server.address() as AddressInfo).port, '127.0.0.1');
    socket.write('POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{');
    handled.length = 0;
    await once(gateway.server, 'request');
    socket.destroy();
    await vi.waitUntil(() => handled.length > 0);

    expect(handled).toMatchObject([{ method: 'POST', status: 499 }]);
    expect((await send('/v1/pets')).status).toBe(200);
    expect(log.text()).toBe('');
  });
});

describe('a preflight request', () => {
  it('gets 204 for an allowed origin, without a key', async () => {
    const corsOrigins = ['http://a.test', 'http://b.test:8080'];
    const origin = await listen(createLocalGateway(functions, { corsOrigins }));
    const preflight = async (from: string, path = '/v1/pets') => {
      const sent = { method: 'OPTIONS', headers: { Origin: from } };
      const [response] = await once(request(`${origin}${path}`, sent).end(), 'response');
      return (response as IncomingMessage).resume();
    };

    for (const allowed of corsOrigins) {
      const { statusCode, headers } = await preflight(allowed);
      expect(statusCode).toBe(204);
      expect(headers).toMatchObject({
        'access-control-allow-origin': allowed,
        'access-control-allow-methods': 'GET, POST',
        'access-control-allow-headers': 'Authorization, Content-Type, Idempotency-Key',
        vary: 'Origin',
        'x-request-id': expect.stringMatching(/./),
      });
    }
    for (const other of ['http://aXtest', 'http://b.test', 'null', 'https://a.test']) {
      const { headers } = await preflight(other);
      expect(headers).not.toHaveProperty('access-control-allow-origin');
      expect(headers.vary).toBe('Origin');
    }
    expect((await preflight('http://a.test', '/v1/unknown')).statusCode).toBe(401);
  });
});

describe('a raw request', () => {
  it.each([
    ['headers beyond 16 KiB', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['no HTTP', 'hello\r\n\r\n'],
  ])('gets 400 with an Error body for %s', async (_case, bytes) => {
    const response = await sendRaw(bytes);

    const [head = '', body = ''] = response.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(head).toContain('Cache-Control: no-store');
    expect(JSON.parse(body)).toMatchObject({ code: 'bad_request', status: 400 });
  });

  it.each([
    ['an unknown expectation', 'Host: x\r\nExpect: tea\r\nConnection: close\r\n'],
    ['no Host header', 'Connection: close\r\n'],
    ['an upgrade to another protocol', 'Host: x\r\nConnection: Upgrade, close\r\nUpgrade: h2c\r\n'],
  ])('gets 200 with %s', async (_case, headers) => {
    const response = await sendRaw(
      `GET /v1/pets HTTP/1.1\r\n${headers}Authorization: ${authorization}\r\n\r\n`,
    );

    expect(response).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('gets a link to localhost for a Host header that is not a host', async () => {
    const response = await sendRaw(
      `GET /v1/pets/1 HTTP/1.1\r\nHost: evil>"; x\r\nAuthorization: ${authorization}\r\nConnection: close\r\n\r\n`,
    );

    expect(response).not.toContain('evil');
    expect(response).toMatch(/Link: <http:\/\/localhost:\d+\/v1\/pets>/i);
  });

  it('gets 400 and its connection closed if it never completes its headers or its body', async () => {
    const { server } = gateway;
    expect(server).toMatchObject({ headersTimeout: 10_000, requestTimeout: 30_000 });
    Object.assign(server, { headersTimeout: 1, requestTimeout: 1 });

    // Both at once, because Node.js looks for slow requests once in a second.
    const responses = await Promise.all(
      [
        'GET /v1/pets HTTP/1.1\r\nX-Slow: ',
        'POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"name":',
      ].map((bytes) => sendBytes(server, bytes)),
    );

    Object.assign(server, { headersTimeout: 10_000, requestTimeout: 30_000 });
    for (const response of responses) {
      expect(response).toMatch(
        /^HTTP\/1\.1 400 .+Connection: close.+The request took too long to arrive\./s,
      );
    }
  });
});
