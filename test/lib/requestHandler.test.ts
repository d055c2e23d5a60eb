import { afterEach, describe, expect, it, vi } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { handler as getPet } from '../../functions/getPet.ts';
import { handler as listPets } from '../../functions/listPets.ts';
import { issueApiKey, listApiKeys, revokeApiKey } from '../../infra/tools/apiKeyRegistry.ts';
import type { RawEvent } from '../../lib/ApiEvent.ts';
import { apiKeyDigest, apiKeyId, createApiKey } from '../../lib/apiKey.ts';
import { requestHandler } from '../../lib/requestHandler.ts';
import { apiKey, call, registry, restEvent } from '../helpers/api.ts';
import { connectionReset, interceptDatabase } from '../helpers/database.ts';

const minuteMs = 60_000;

function advanceClock(byMs: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + byMs });
}

const bearer = (key: string) => ({ headers: { Authorization: `Bearer ${key}` } });

afterEach(() => {
  vi.useRealTimers();
});

describe('requestHandler: authentication', () => {
  it.each([['Bearer'], ['bearer'], ['BEARER']])(
    'accepts a live key after the scheme %s',
    async (scheme) => {
      const { status } = await call(listPets, {
        headers: { Authorization: `${scheme} ${apiKey}` },
      });

      expect(status).toBe(200);
    },
  );

  it.each([
    ['absent', {}],
    ['empty', { Authorization: '' }],
    ['of another scheme', { Authorization: `Basic ${apiKey}` }],
    ['a key alone', { Authorization: apiKey }],
    ['a scheme alone', { Authorization: 'Bearer ' }],
  ])('answers 401 with a plain challenge where the header is %s', async (_case, headers) => {
    const event = { headers, multiValueHeaders: null };

    const answer = await call(listPets, { event });

    expect(answer.status).toBe(401);
    expect(answer.json).toEqual({
      code: 'unauthorized',
      message: 'Send an API key in the header Authorization: Bearer <API_KEY>.',
      status: 401,
    });
    expect(answer.headers['WWW-Authenticate']).toBe('Bearer realm="petstore"');
  });

  it.each([
    ['random', 'guess'],
    ['in another case', apiKey.toUpperCase()],
    ['mistyped', `${apiKey.slice(0, -8)}xxxxxxxx`],
    ['cut', apiKey.slice(0, -1)],
    ['well-formed, but never issued', createApiKey('test')],
    ['of another stage', createApiKey('v1-production')],
    ['two keys', `${apiKey} ${apiKey}`],
    ['two keys with a comma', `${apiKey}, Bearer ${apiKey}`],
    ['followed by a space that is none of HTTP', `${apiKey}\u00a0`],
    ['ten kilobytes long', `ps_test_${'A'.repeat(10_240)}`],
    ['ten kilobytes of spaces and a letter', `${' '.repeat(10_240)}x`],
  ])('answers 401 with invalid_token for a key that is %s', async (_case, key) => {
    const { status, json, headers } = await call(listPets, bearer(key));

    expect(status).toBe(401);
    expect(json.code).toBe('unauthorized');
    expect(json.message).not.toContain(key.slice(0, 20));
    expect(headers['WWW-Authenticate']).toBe('Bearer realm="petstore", error="invalid_token"');
  });

  it('answers 401 for two Authorization headers, both with a live key', async () => {
    const event = restEvent();
    event.multiValueHeaders = { Authorization: [`Bearer ${apiKey}`, `Bearer ${apiKey}`] };

    const { statusCode } = await listPets(event);

    expect(statusCode).toBe(401);
  });

  it('answers 401 for two Authorization headers in two spellings', async () => {
    const event = restEvent();
    event.multiValueHeaders = { Authorization: ['Bearer x'], authorization: [`Bearer ${apiKey}`] };

    const { statusCode } = await listPets(event);

    expect(statusCode).toBe(401);
  });

  it('answers 401 before it looks at the body', async () => {
    const { status } = await call(createPet, { body: '{', headers: { Authorization: '' } });

    expect(status).toBe(401);
  });

  it('asks the database once a minute for a key that it knows', async () => {
    const key = await issueApiKey(registry, { name: 'once a minute' });
    const actions = interceptDatabase(({ pass }) => pass());
    const get = () => call(getPet, { petId: 'none', ...bearer(key) });

    await get();
    await get();
    advanceClock(minuteMs - 2000);
    await get();
    expect(actions).toEqual(['GetItem']);

    advanceClock(2001);
    await get();
    expect(actions).toEqual(['GetItem', 'GetItem']);
  });

  it('asks the database nothing for a key that cannot be one', async () => {
    const actions = interceptDatabase(({ pass }) => pass());

    await call(listPets, bearer(`${apiKey.slice(0, -1)}!`));
    await call(listPets, bearer(createApiKey('v1-staging')));
    await call(listPets, bearer(`ps_test_${'A'.repeat(49)}`));

    expect(actions).toEqual([]);
  });

  it('refuses a revoked key after 60 seconds at most', async () => {
    const key = await issueApiKey(registry, { name: 'revoked' });
    expect((await call(listPets, bearer(key))).status).toBe(200);

    await revokeApiKey(registry, apiKeyId(apiKeyDigest(key)));
    advanceClock(minuteMs + 1);

    expect((await call(listPets, bearer(key))).status).toBe(401);
  });

  it('refuses a key from the second in which it expires, remembered or not', async () => {
    const nowEpochSeconds = Math.floor(Date.now() / 1000);
    const key = await issueApiKey(registry, {
      name: 'expiring',
      expiresAtEpochSeconds: BigInt(nowEpochSeconds + 30),
    });
    expect((await call(listPets, bearer(key))).status).toBe(200);

    vi.useFakeTimers({ toFake: ['Date'], now: (nowEpochSeconds + 30) * 1000 });

    expect((await call(listPets, bearer(key))).status).toBe(401);
  });

  it('stores no key, but its digest', async () => {
    const records = JSON.stringify(await listApiKeys(registry), (_, value) =>
      String(value) && value instanceof Object ? value : String(value),
    );

    expect(records).toContain(apiKeyDigest(apiKey));
    expect(records).not.toContain(apiKey);
  });
});

describe('requestHandler: responses', () => {
  it.each([
    ['200', 200, listPets, {}],
    ['201', 201, createPet, { body: { name: 'Rex', categoryId: 1 } }],
    ['400', 400, createPet, { body: {} }],
    ['401', 401, listPets, { headers: { Authorization: '' } }],
    ['404', 404, getPet, { petId: 'none' }],
    ['413', 413, createPet, { body: 'x'.repeat(70_000) }],
    ['415', 415, createPet, { body: '{}', headers: { 'Content-Type': 'text/plain' } }],
  ])('carries the common headers on an answer of %s', async (_case, status, handler, sent) => {
    const answer = await call(handler, sent);

    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject({
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'X-Request-Id': 'request-1',
    });
  });

  it('links to the address that the client used, and to a relative one where it is not known', async () => {
    const body = { name: 'Rex', categoryId: 1 };
    const locationAt = async (requestContext: RawEvent['requestContext'], scheme = 'https') => {
      const { headers } = await call(createPet, {
        body,
        headers: { 'X-Forwarded-Proto': scheme },
        event: { requestContext },
      });
      return headers.Location?.replace(/\d+$/, '{petId}');
    };

    expect(await locationAt({ domainName: 'api.example.com', path: '/v1/pets' })).toBe(
      'https://api.example.com/v1/pets/{petId}',
    );
    expect(
      await locationAt({
        domainName: 'x.execute-api.eu-west-1.amazonaws.com',
        path: '/v1-production/v1/pets',
      }),
    ).toBe('https://x.execute-api.eu-west-1.amazonaws.com/v1-production/v1/pets/{petId}');
    expect(await locationAt({ domainName: 'localhost:3000', path: '/v1/pets' }, 'http')).toBe(
      'http://localhost:3000/v1/pets/{petId}',
    );
    expect(await locationAt(null)).toBe('/v1/pets/{petId}');
    expect(await locationAt({})).toBe('/v1/pets/{petId}');
  });
});

describe('requestHandler: stability', () => {
  it.each(['beta', 'experimental'] as const)(
    'marks every answer of a %s operation',
    async (stability) => {
      const handler = requestHandler('listPets', { input: {}, stability }, async () => ({
        statusCode: 200,
        headers: {},
        body: '[]',
      }));

      const answers = [
        await handler(restEvent()),
        await handler(restEvent({ headers: { Authorization: '' } })),
      ];

      expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 401]);
      for (const { headers } of answers) expect(headers['X-Stability']).toBe(stability);
    },
  );

  it('marks no answer of a stable one', async () => {
    expect((await call(listPets)).headers).not.toHaveProperty('X-Stability');
  });
});

describe('requestHandler: events', () => {
  const authorization = `Bearer ${apiKey}`;

  it.each<[string, RawEvent]>([
    ['nothing', {}],
    [
      'null maps',
      { headers: null, multiValueHeaders: null, queryStringParameters: null, body: null },
    ],
  ])('answers 401 for an event of %s', async (_case, event) => {
    for (const handler of [listPets, createPet, getPet]) {
      expect((await handler(event)).statusCode).toBe(401);
    }
  });

  it('answers 401 for no event at all', async () => {
    expect((await listPets(null as unknown as RawEvent)).statusCode).toBe(401);
    expect((await listPets(undefined as unknown as RawEvent)).statusCode).toBe(401);
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
    const repeated = await listPets(
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
    expect(repeated.statusCode).toBe(400);
  });
});

describe('requestHandler: failures', () => {
  it('answers 503 with Retry-After where the database breaks every connection', async () => {
    vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    await call(listPets);
    interceptDatabase(async () => {
      throw connectionReset();
    });

    const { status, json, headers } = await call(listPets);

    expect(status).toBe(503);
    expect(json).toMatchObject({ code: 'service_unavailable', status: 503 });
    expect(headers['Retry-After']).toBe('1');
    expect(headers['Cache-Control']).toBe('no-store');
  });

  it('answers 503, not 401, where the key cannot be looked up', async () => {
    vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const key = await issueApiKey(registry, { name: 'not remembered' });
    interceptDatabase(async () => {
      throw connectionReset();
    });

    expect((await call(listPets, bearer(key))).status).toBe(503);
  });

  it('answers 500 without a word of the cause, and logs it with the request id', async () => {
    const output = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    await call(listPets);
    interceptDatabase(async () => {
      throw new TypeError('a bug in /var/task/index.mjs of @aws-sdk');
    });

    const { status, text } = await call(listPets);

    expect(status).toBe(500);
    expect(JSON.parse(text)).toEqual({
      code: 'internal_error',
      message:
        'Something went wrong inside the service. Its operators find the cause by the X-Request-Id.',
      status: 500,
    });
    const line = JSON.parse(output.mock.calls.map(([chunk]) => String(chunk)).join(''));
    expect(line).toMatchObject({
      level: 'ERROR',
      requestId: 'request-1',
      operation: 'listPets',
      status: 500,
      code: 'internal_error',
      apiKeyId: apiKeyId(apiKeyDigest(apiKey)),
      cause: { message: 'a bug in /var/task/index.mjs of @aws-sdk', stack: expect.any(String) },
    });
  });

  it('answers 503 shortly before Lambda would end the function', async () => {
    vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    await call(listPets);
    interceptDatabase(() => new Promise(() => {}));

    const { statusCode, headers, body } = await listPets(restEvent(), {
      getRemainingTimeInMillis: () => 300,
    });

    expect(statusCode).toBe(503);
    expect(headers['Retry-After']).toBe('1');
    expect(JSON.parse(body).code).toBe('service_unavailable');
  });
});

describe('requestHandler: log', () => {
  it('writes one line a request, and no key and no body in it', async () => {
    vi.resetModules();
    vi.stubEnv('LOG_LEVEL', 'INFO');
    const { handler } = await import('../../functions/createPet.ts');
    const output = vi.spyOn(process.stdout, 'write').mockReturnValue(true);

    await call(handler, { body: { name: 'Confidential', categoryId: 1 } });
    await call(handler, { body: { name: 'Confidential' } });

    const lines = output.mock.calls.map(([chunk]) => JSON.parse(String(chunk)));
    expect(lines).toMatchObject([
      { level: 'INFO', message: 'Request handled', operation: 'createPet', status: 201 },
      { level: 'INFO', operation: 'createPet', status: 400, code: 'bad_request' },
    ]);
    expect(lines[0].durationMs).toEqual(expect.any(Number));
    expect(lines[0].apiKeyId).toBe(apiKeyId(apiKeyDigest(apiKey)));
    expect(output.mock.calls.join('')).not.toContain(apiKey);
    expect(output.mock.calls.join('')).not.toContain('Confidential');
  });
});
