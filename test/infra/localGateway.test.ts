import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { describe, expect, it, vi } from 'vitest';
import { createLocalGateway, type HandledRequest } from '../../infra/local/localGateway.ts';
import type { RawEvent } from '../../lib/http/event.ts';
import { apiKey } from '../helpers/api.ts';
import { captureLog } from '../helpers/captureLog.ts';
import { functions, serveFunctions } from '../helpers/gateway.ts';
import { listen } from '../helpers/listen.ts';
import { responsesIn, sendBytes } from '../helpers/rawHttp.ts';

const events: APIGatewayProxyEvent[] = [];
const handled: HandledRequest[] = [];
const gateway = serveFunctions(
  {
    ...functions,
    async listPets(event: RawEvent, context) {
      events.push(event as APIGatewayProxyEvent);
      return functions.listPets(event, context);
    },
    async fallback(event: RawEvent, context) {
      events.push(event as APIGatewayProxyEvent);
      return functions.fallback(event, context);
    },
  },
  { onHandled: (request) => handled.push(request) },
);
const authorization = `Bearer ${apiKey}`;

const send = (path: string, init: RequestInit = {}) =>
  fetch(`${gateway.origin}${path}`, { ...init, headers: { authorization, ...init.headers } });

/** Sends bytes and asserts that the response matches the OpenAPI document. */
async function sendRaw(request: string): Promise<string> {
  const received = await sendBytes(gateway.server, request);
  const [method = '', path = ''] = request.split(/[ ?]/);
  responsesIn(received, method, path);
  return received;
}

describe('a request over HTTP', () => {
  it('reaches each of the three operations, int64 exact', async () => {
    const body = '{"name":"Rex","categoryId":9223372036854775807,"status":"sold"}';
    const created = await send('/v1/pets', {
      method: 'POST',
      body,
      headers: { 'Content-Type': 'application/json' },
    });
    const location = created.headers.get('Location') ?? '';
    const read = await fetch(location, { headers: { authorization } });
    const listed = await send('/v1/pets?status=sold&limit=100');

    expect([created.status, read.status, listed.status]).toEqual([201, 200, 200]);
    expect(location).toMatch(new RegExp(`^${gateway.origin}/v1/pets/\\d+$`));
    const pet = await created.text();
    expect(pet).toContain('"categoryId":9223372036854775807');
    expect(await read.text()).toBe(pet);
    expect(await listed.text()).toBe(`[${pet}]`);
  });

  it.each([
    ['GET', '/', 404],
    ['GET', '/v1/store/orders', 404],
    ['GET', '/v1/pets/1/2', 404],
    ['GET', '/v1/pets/%E0%A4%A', 404],
    ['GET', `/v1/pets/${'9'.repeat(200)}`, 404],
    ['DELETE', '/v1/pets', 405],
    ['PUT', '/v1/pets/1', 405],
    ['HEAD', '/v1/pets', 405],
    ['OPTIONS', '/v1/pets', 405],
    ['PROPFIND', '/v1/pets', 405],
    ['QUERY', '/v1/pets', 405],
  ])('gets the status of API Gateway: %s %s %i', async (method, path, status) => {
    const response = await send(path, { method });

    expect(response.status).toBe(status);
    expect(response.headers.get('Content-Type')).toBe('application/json');
    expect(response.headers.get('Allow')?.includes('GET')).toBe(status === 405 ? true : undefined);
  });

  it.each(['text/plain', '', 'not a media type'])(
    'gets 415 from the function for the Content-Type %j',
    async (contentType) => {
      const headers = { 'Content-Type': contentType };

      const response = await send('/v1/pets', { method: 'POST', body: '{}', headers });

      expect(response.status).toBe(415);
    },
  );

  it('gets 400 if the body is not UTF-8', async () => {
    const response = await send('/v1/pets', {
      method: 'POST',
      body: Buffer.from('{"name":"R\xe9x","categoryId":1}', 'latin1'),
    });

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ message: 'The body must be JSON in UTF-8.' });
  });

  it.each([
    ['the service', 70_000],
    ['the gateway', 11 * 1024 * 1024],
  ])('gets 413 if the body exceeds the limit of %s', async (_owner, bytes) => {
    const response = await send('/v1/pets', { method: 'POST', body: Buffer.alloc(bytes, ' ') });

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

describe('the event', () => {
  it('is the one that a REST API sends', async () => {
    await send('/v1/pets?limit=5&limit=6&x=a%20b', { headers: { 'user-agent': 'a client' } });

    const host = gateway.origin.slice('http://'.length);
    expect(events.at(-1)).toMatchObject({
      resource: '/v1/pets',
      path: '/v1/pets',
      httpMethod: 'GET',
      headers: { 'X-Forwarded-Proto': 'http', host },
      multiValueHeaders: { authorization: [authorization] },
      queryStringParameters: { limit: '6', x: 'a b' },
      multiValueQueryStringParameters: { limit: ['5', '6'], x: ['a b'] },
      pathParameters: {},
      stageVariables: null,
      body: null,
      isBase64Encoded: false,
      requestContext: {
        path: '/v1/pets',
        stage: 'local',
        resourcePath: '/v1/pets',
        httpMethod: 'GET',
        domainName: host,
        requestId: expect.stringMatching(/^[\da-f-]{36}$/),
        identity: { sourceIp: expect.stringContaining('127.0.0.1'), userAgent: 'a client' },
      },
    });
  });

  it('has null for absent query parameters', async () => {
    await send('/v1/pets');

    expect(events.at(-1)).toMatchObject({
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
    });
  });

  it.each(['PUT', 'GET', 'PROPFIND'])(
    'keeps the target, headers and body of %s exactly as sent',
    async (method) => {
      await sendBytes(
        gateway.server,
        `${method} http://x/v1//a%2Fb/%zz;c?q=1?2 HTTP/1.1\r\nHost: x\r\nX-Name: caf\xe9\r\nx-name: two\r\nContent-Type: a/b; c\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
      );

      expect(events.at(-1)).toMatchObject({
        path: '/v1//a%2Fb/%zz;c',
        httpMethod: method,
        headers: { 'Content-Type': 'a/b; c', 'X-Name': 'two' },
        multiValueHeaders: { 'X-Name': ['café', 'two'] },
        queryStringParameters: { q: '1?2' },
        body: '{}',
      });
    },
  );

  it('has a decoded path parameter', async () => {
    const created = await send('/v1/pets', {
      method: 'POST',
      body: '{"name":"Rex","categoryId":1}',
      headers: { 'Content-Type': 'application/json' },
    });
    const { id } = (await created.json()) as { id: number };
    const encoded = [...String(id)].map((digit) => `%3${digit}`).join('');

    expect((await send(`/v1/pets/${encoded}`)).status).toBe(200);
  });
});

describe('onHandled', () => {
  it('gets method, path without query, status and duration', async () => {
    handled.length = 0;

    await (await send('/v1/pets?cursor=secret')).text();
    await vi.waitUntil(() => handled.length > 0);

    expect(handled).toEqual([
      { method: 'GET', path: '/v1/pets', status: 400, durationMs: expect.any(Number) },
    ]);
    expect(handled[0]?.durationMs).toBeGreaterThan(0);
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

describe('a raw request', () => {
  it('gets 401 for two Authorization headers', async () => {
    const header = `Authorization: ${authorization}\r\n`;

    const response = await sendRaw(
      `GET /v1/pets HTTP/1.1\r\nHost: x\r\n${header}${header}Connection: close\r\n\r\n`,
    );

    expect(response).toMatch(/^HTTP\/1\.1 401 /);
  });

  it.each([
    ['headers beyond 16 KiB', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['no HTTP', 'hello\r\n\r\n'],
  ])('gets 400 with an Error body for %s', async (_case, request) => {
    const response = await sendRaw(request);

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

  it.each([
    ['headers', 'GET /v1/pets HTTP/1.1\r\nX-Slow: '],
    ['a body', 'POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"name":'],
  ])('gets 400 and its connection closed if it never completes %s', async (_part, bytes) => {
    const { server } = gateway;
    expect(server).toMatchObject({ headersTimeout: 10_000, requestTimeout: 30_000 });
    Object.assign(server, { headersTimeout: 1, requestTimeout: 1 });

    const response = await sendBytes(server, bytes);

    Object.assign(server, { headersTimeout: 10_000, requestTimeout: 30_000 });
    expect(response).toMatch(
      /^HTTP\/1\.1 400 .+Connection: close.+The request took too long to arrive\./s,
    );
  });
});
