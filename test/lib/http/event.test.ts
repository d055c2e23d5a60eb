import { describe, expect, it } from 'vitest';
import { handler as createPet } from '../../../functions/createPet.ts';
import { handler as getPet } from '../../../functions/getPet.ts';
import { handler as listPets } from '../../../functions/listPets.ts';
import type { RawEvent } from '../../../lib/http/event.ts';
import { requestHandler } from '../../../lib/http/handler.ts';
import { apiKey } from '../../helpers/api.ts';
import { captureLog } from '../../helpers/captureLog.ts';

describe('toApiEvent', () => {
  const authorization = `Bearer ${apiKey}`;

  it.each<[string, RawEvent]>([
    ['nothing', {}],
    [
      'null maps',
      { headers: null, multiValueHeaders: null, queryStringParameters: null, body: null },
    ],
  ])('responds 401 to an event of %s', async (_case, event) => {
    for (const handler of [listPets, createPet, getPet]) {
      expect((await handler(event)).statusCode).toBe(401);
    }
  });

  it('responds 401 without an event', async () => {
    expect((await listPets(null as unknown as RawEvent)).statusCode).toBe(401);
    expect((await listPets(undefined as unknown as RawEvent)).statusCode).toBe(401);
  });

  it('responds 500 with all headers to an event that no gateway sends', async () => {
    captureLog();
    const event = { path: '/v1/pets/7', multiValueQueryStringParameters: { limit: 5 } };

    const { statusCode, headers, body } = await getPet(event as unknown as RawEvent, {
      awsRequestId: 'invocation-1',
    });

    expect(statusCode).toBe(500);
    expect(JSON.parse(body).code).toBe('internal_error');
    expect(headers).toMatchObject({
      'X-Request-Id': 'invocation-1',
      'Cache-Control': 'no-store',
      Deprecation: '@1795132800',
    });
  });

  it('serves an event written by hand: headers, a body, parameters', async () => {
    const headers = { authorization };

    const created = await createPet({ headers, body: '{"name":"Rex","categoryId":1}' });
    const { id } = JSON.parse(created.body);
    const read = await getPet({ headers, pathParameters: { petId: String(id) } });
    const listed = await listPets({ headers, queryStringParameters: { limit: '1' } });

    expect(created.statusCode).toBe(201);
    expect(created.headers.Location).toBe(`/v1/pets/${id}`);
    expect(created.headers['X-Request-Id']).toMatch(/^[\da-f-]{36}$/);
    expect(read.body).toBe(created.body);
    expect(JSON.parse(listed.body)).toHaveLength(1);
    expect((await getPet({ headers })).statusCode).toBe(404);
    expect((await createPet({ headers })).statusCode).toBe(400);
  });

  it('serves an HTTP API event (version 2.0)', async () => {
    const event = (path: string, more: object): RawEvent =>
      ({
        version: '2.0',
        routeKey: '$default',
        rawPath: `/v1-staging${path}`,
        rawQueryString: '',
        headers: { authorization, 'content-type': 'application/json' },
        requestContext: {
          requestId: 'request-2',
          domainName: 'abc123.execute-api.eu-west-1.amazonaws.com',
          stage: 'v1-staging',
          http: { method: 'GET', path: `/v1-staging${path}` },
        },
        isBase64Encoded: false,
        ...more,
      }) as RawEvent;

    const created = await createPet(event('/v1/pets', { body: '{"name":"Rex","categoryId":1}' }));
    const { id } = JSON.parse(created.body);
    const petId = String(id);
    const read = await getPet(event(`/v1/pets/${petId}`, { pathParameters: { petId } }));
    const listed = await listPets(
      event('/v1/pets', {
        rawQueryString: 'limit=1&status=available',
        queryStringParameters: { limit: '1', status: 'available' },
      }),
    );
    const twice = await listPets(
      event('/v1/pets', {
        rawQueryString: 'limit=1&limit=1',
        queryStringParameters: { limit: '1,1' },
      }),
    );

    expect(created.statusCode).toBe(201);
    expect(created.headers.Location).toBe(
      `https://abc123.execute-api.eu-west-1.amazonaws.com/v1-staging/v1/pets/${petId}`,
    );
    expect(created.headers['X-Request-Id']).toBe('request-2');
    expect(read.body).toBe(created.body);
    expect(JSON.parse(listed.body)).toHaveLength(1);
    expect(twice.statusCode).toBe(400);
  });

  it('treats a null value as one that was not sent', async () => {
    const headers = { authorization, 'content-type': null } as unknown as RawEvent['headers'];
    const event = {
      headers,
      multiValueHeaders: { 'idempotency-key': null },
      queryStringParameters: { limit: null },
      multiValueQueryStringParameters: { limit: null },
      body: '{"name":"Rex","categoryId":1}',
    } as unknown as RawEvent;

    expect((await createPet(event)).statusCode).toBe(201);
    expect((await listPets(event)).statusCode).toBe(200);
  });

  it.each<[string, RawEvent]>([
    [
      'REST API',
      {
        queryStringParameters: { tag: 'b', size: 'c' },
        multiValueQueryStringParameters: { tag: ['a', 'b'], size: ['c'] },
        rawQueryString: null,
      },
    ],
    [
      'HTTP API',
      { queryStringParameters: { tag: 'a,b', size: 'c' }, rawQueryString: 'tag=a&tag=b&size=c' },
    ],
  ])('distinguishes a parameter sent twice from one with a comma: %s', async (_case, event) => {
    const echo = requestHandler('listPets', { input: {} }, async ({ query }) => ({
      statusCode: 200,
      headers: {},
      body: JSON.stringify(query),
    }));

    const { body } = await echo({ headers: { authorization }, ...event });

    expect(JSON.parse(body)).toEqual({ tag: ['a', 'b'], size: 'c' });
  });
});
