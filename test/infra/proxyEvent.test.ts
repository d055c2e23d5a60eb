import { describe, expect, it, vi } from 'vitest';
import type { RawEvent } from '../../lib/http/event.ts';
import type { Handler } from '../../lib/http/handler.ts';
import { apiKey } from '../helpers/api.ts';
import { functions, sendBytes, startGateway } from '../helpers/gateway.ts';

const events: RawEvent[] = [];
const recording =
  (handler: Handler): Handler =>
  (event, context) => {
    events.push(event);
    // One id finds all log lines of a request.
    expect(context?.awsRequestId).toBe(event.requestContext?.requestId);
    return handler(event, context);
  };
const gateway = await startGateway({
  ...functions,
  listPets: recording(functions.listPets),
  getPet: recording(functions.getPet),
  fallback: recording(functions.fallback),
});
const authorization = `Bearer ${apiKey}`;

const send = (path: string, init: RequestInit = {}) =>
  fetch(`${gateway.origin}${path}`, { ...init, headers: { authorization, ...init.headers } });

describe('toProxyEvent', () => {
  it('makes the event that a REST API sends', async () => {
    await send('/v1/pets?limit=5&limit=6&x=a%20b', { headers: { 'X-Forwarded-Proto': 'https' } });

    const host = gateway.origin.slice('http://'.length);
    expect(events.at(-1)).toMatchObject({
      path: '/v1/pets',
      httpMethod: 'GET',
      headers: { 'x-forwarded-proto': 'http', host },
      multiValueHeaders: { authorization: [authorization] },
      queryStringParameters: { limit: '6', x: 'a b' },
      multiValueQueryStringParameters: { limit: ['5', '6'], x: ['a b'] },
      pathParameters: {},
      body: null,
      isBase64Encoded: false,
      requestContext: {
        path: '/v1/pets',
        domainName: host,
        requestId: expect.stringMatching(/^[\da-f-]{36}$/),
      },
    });
  });

  it('keeps the target, the values of headers and the body exactly as sent', async () => {
    await sendBytes(
      gateway.origin,
      'PUT http://x/v1//a%2Fb/%zz;c?q=1?2 HTTP/1.1\r\nHost: x\r\nX-Name: caf\xe9\r\nx-name: two\r\nContent-Type: a/b; c\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}',
    );

    expect(events.at(-1)).toMatchObject({
      path: '/v1//a%2Fb/%zz;c',
      httpMethod: 'PUT',
      headers: { 'content-type': 'a/b; c', 'x-name': 'two' },
      multiValueHeaders: { 'x-name': ['café', 'two'] },
      queryStringParameters: { q: '1?2' },
      body: '{}',
    });
  });

  it('reads 8,000 repeated parameters in one pass', async () => {
    const getAll = vi.spyOn(URLSearchParams.prototype, 'getAll');

    const response = await send(`/v1/pets?${'a&'.repeat(8_000)}`);

    expect(response.status).toBe(200);
    expect(events.at(-1)?.multiValueQueryStringParameters).toEqual({ a: Array(8_000).fill('') });
    expect(getAll).not.toHaveBeenCalled();
  });

  it.each([
    ['%31', '1'],
    ['%E0%A4%A', '\ufffd%A'],
  ])('decodes every path parameter: %s', async (encoded, petId) => {
    await send(`/v1/pets/${encoded}`);

    expect(events.at(-1)?.pathParameters).toEqual({ petId });
  });
});
