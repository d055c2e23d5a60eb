import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { handler as fallback } from '../../functions/fallback.ts';
import { handler as getPet } from '../../functions/getPet.ts';
import { handler as listPets } from '../../functions/listPets.ts';
import { createLocalGateway, type HandledRequest } from '../../infra/local/localGateway.ts';
import type { RawEvent } from '../../lib/http/event.ts';
import { apiKey } from '../helpers/api.ts';
import { captureLog } from '../helpers/captureLog.ts';
import { listenDescribed } from '../helpers/listenDescribed.ts';

const events: APIGatewayProxyEvent[] = [];
const handled: HandledRequest[] = [];
const server = createLocalGateway(
  {
    createPet,
    fallback,
    getPet,
    async listPets(event: RawEvent, context) {
      events.push(event as APIGatewayProxyEvent);
      return listPets(event, context);
    },
  },
  (request) => handled.push(request),
);
let origin: string;
const authorization = `Bearer ${apiKey}`;

const send = (path: string, init: RequestInit = {}) =>
  fetch(`${origin}${path}`, { ...init, headers: { authorization, ...init.headers } });

beforeAll(async () => {
  origin = await listenDescribed(server);
});

afterAll(() => {
  server.close();
});

describe('createLocalGateway', () => {
  it('serves the three operations over HTTP, int64 exact', async () => {
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
    expect(location).toMatch(new RegExp(`^${origin}/v1/pets/\\d+$`));
    const pet = await created.text();
    expect(pet).toContain('"categoryId":9223372036854775807');
    expect(await read.text()).toBe(pet);
    expect(await listed.text()).toBe(`[${pet}]`);
  });

  it('sends the event that a REST API sends', async () => {
    await send('/v1/pets?limit=5&limit=6&x=a%20b', { headers: { 'user-agent': 'a client' } });

    const event = events.at(-1);
    expect(event).toMatchObject({
      resource: '/v1/pets',
      path: '/v1/pets',
      httpMethod: 'GET',
      headers: { 'X-Forwarded-Proto': 'http', host: origin.slice('http://'.length) },
      multiValueHeaders: { authorization: [authorization] },
      queryStringParameters: { limit: '6', x: 'a b' },
      multiValueQueryStringParameters: { limit: ['5', '6'], x: ['a b'] },
      stageVariables: null,
      body: null,
      isBase64Encoded: false,
      requestContext: {
        path: '/v1/pets',
        stage: 'local',
        resourcePath: '/v1/pets',
        httpMethod: 'GET',
        domainName: origin.slice('http://'.length),
        requestId: expect.stringMatching(/^[\da-f-]{36}$/),
        identity: { sourceIp: expect.stringContaining('127.0.0.1'), userAgent: 'a client' },
      },
    });
  });

  it('sends null where there are no query parameters', async () => {
    await send('/v1/pets');

    expect(events.at(-1)).toMatchObject({
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
    });
  });

  it('decodes a path parameter', async () => {
    expect((await send('/v1/pets/%31')).status).not.toBe(400);
    expect((await send('/v1/pets/%E0%A4%A')).status).toBe(404);
  });

  it.each([
    ['GET', '/', 404],
    ['GET', '/v1/store/orders', 404],
    ['GET', '/v1/pets/1/2', 404],
    ['DELETE', '/v1/pets', 405],
    ['PUT', '/v1/pets/1', 405],
    ['HEAD', '/v1/pets', 405],
  ])('sends %s %s to the fallback', async (method, path, status) => {
    const response = await send(path, { method });

    expect(response.status).toBe(status);
    expect(response.headers.get('Content-Type')).toBe('application/json');
    if (status === 405) expect(response.headers.get('Allow')).toContain('GET');
  });

  it('serves requests at the same time', async () => {
    const responses = await Promise.all(Array.from({ length: 50 }, () => send('/v1/pets')));

    expect(responses.map(({ status }) => status)).toEqual(Array(50).fill(200));
  });

  it('answers 400 for a body that is not UTF-8', async () => {
    const response = await send('/v1/pets', {
      method: 'POST',
      body: Buffer.from('{"name":"R\xe9x","categoryId":1}', 'latin1'),
    });

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ message: 'The body must be JSON in UTF-8.' });
  });

  it('answers 413 for a body beyond the limit of the service, and of the gateway', async () => {
    const post = (bytes: number) =>
      send('/v1/pets', { method: 'POST', body: Buffer.alloc(bytes, ' ') });

    const responses = [await post(70_000), await post(11 * 1024 * 1024)];

    for (const response of responses) {
      expect(response.status).toBe(413);
      expect(await response.json()).toMatchObject({ code: 'payload_too_large', status: 413 });
    }
  });

  it('serves a burst of 300 creates and lists without an error', async () => {
    const post = { method: 'POST', body: '{"name":"Rex","categoryId":1}' };
    const headers = { 'Content-Type': 'application/json' };

    const responses = await Promise.all(
      Array.from({ length: 300 }, (_, n) =>
        n % 2 === 0 ? send('/v1/pets', { ...post, headers }) : send('/v1/pets?limit=100'),
      ),
    );

    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200, 201]));
  });

  it('goes on where a client goes away in the middle of its request', async () => {
    const log = captureLog();
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write('POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{');
    handled.length = 0;
    await once(server, 'request');
    socket.destroy();
    await vi.waitUntil(() => handled.length > 0);

    expect(handled).toMatchObject([{ method: 'POST', status: 499 }]);
    expect((await send('/v1/pets')).status).toBe(200);
    expect(log.text()).toBe('');
  });

  it('tells of each request its method, path without query, status and duration', async () => {
    handled.length = 0;

    await (await send('/v1/pets?cursor=secret')).text();
    await vi.waitUntil(() => handled.length > 0);

    expect(handled).toEqual([
      { method: 'GET', path: '/v1/pets', status: 400, durationMs: expect.any(Number) },
    ]);
  });

  it('answers 500 with an Error body where a function throws past its stack', async () => {
    captureLog();
    const broken = createLocalGateway({
      createPet,
      fallback,
      getPet,
      listPets: async () => {
        throw new Error('broken');
      },
    });
    const brokenOrigin = await listenDescribed(broken);

    const response = await fetch(`${brokenOrigin}/v1/pets`);

    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ code: 'internal_error', status: 500 });
    broken.close();
  });
});
