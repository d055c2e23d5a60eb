import { describe, expect, it } from 'vitest';
import { handler as listPets } from '../../../../functions/listPets.ts';
import { apiKeyDigest, apiKeyId, createApiKey } from '../../../../lib/apiKeys/apiKey.ts';
import { config } from '../../../../lib/config.ts';
import { operationEntries } from '../../../../lib/operations.ts';
import { issueApiKey } from '../../../../tools/apiKeyRegistry.ts';
import { apiKey, bearer, call, registry, restEvent } from '../../../helpers/api.ts';
import { captureLog } from '../../../helpers/captureLog.ts';
import { storeItems } from '../../../helpers/database.ts';
import { functions } from '../../../helpers/gateway.ts';

// The forms of a header that a client can send are in test/contract.

describe('authenticate', () => {
  it.each<[string, Record<string, string[]>]>([
    ['both with a valid key', { Authorization: [`Bearer ${apiKey}`, `Bearer ${apiKey}`] }],
    ['with a half of the credentials each', { Authorization: ['Bearer ', apiKey] }],
    ['in two spellings', { Authorization: ['Bearer x'], authorization: [`Bearer ${apiKey}`] }],
  ])('responds 401 for two Authorization headers, %s', async (_case, multiValueHeaders) => {
    const { status } = await call(listPets, { event: { multiValueHeaders } });

    expect(status).toBe(401);
  });

  it.each([
    ['has no date', {}],
    ['has a word as its right', { createdAtEpochSeconds: 1n, readOnly: 'yes' }],
  ])('responds 401 if the record of a key %s, and logs its id', async (_damage, members) => {
    const key = createApiKey(config().stage);
    const record = { digest: apiKeyDigest(key), name: 'damaged', ...members };
    await storeItems([record], registry.tableName);
    const log = captureLog();

    const { status } = await call(listPets, bearer(key));

    expect(status).toBe(401);
    expect(log.lines()).toMatchObject([
      {
        level: 'ERROR',
        code: 'api_key_damaged',
        apiKeyId: apiKeyId(apiKeyDigest(key)),
        cause: { message: expect.stringMatching(/createdAtEpochSeconds|readOnly/) },
      },
    ]);
    expect(log.text()).not.toContain(key);
  });
});

describe('a read-only key', async () => {
  const key = await issueApiKey(registry, { name: 'reader', readOnly: true });
  const forbidden = { code: 'forbidden', message: 'This API key may only read.', status: 403 };
  const reads = operationEntries.filter(([, { method }]) => method === 'GET');
  const writes = operationEntries.filter(([, { method }]) => method !== 'GET');

  it.each(reads)('lets a read-only key use %s', async (name) => {
    const sent = { pathParameters: { petId: '404' }, ...bearer(key) };
    const { status } = await call(functions[name], sent);
    const { statusCode } = await functions[name](bearer(key));

    for (const each of [status, statusCode]) expect([200, 404]).toContain(each);
  });

  it.each(writes)(
    'forbids a read-only key %s, each time, before the body is read',
    async (name) => {
      const headers = { ...bearer(key).headers, 'Content-Type': 'text/plain' };

      for (const _request of [1, 2]) {
        expect((await call(functions[name], { headers, body: '{' })).json).toEqual(forbidden);
      }
      // The method of the event does not count.
      expect((await functions[name]({ ...bearer(key), httpMethod: 'GET' })).statusCode).toBe(403);
    },
  );

  it.each([
    ['GET', '/v1/none', 404],
    ['HEAD', '/v1/pets', 405],
    ['DELETE', '/v1/none', 403],
    ['OPTIONS', '/v1/pets', 403],
  ])('sends %s %s, which no operation serves, and gets %d', async (...request) => {
    const [httpMethod, path, expected] = request;

    const event = restEvent('listPets', { ...bearer(key), event: { httpMethod, path } });

    expect((await functions.fallback(event)).statusCode).toBe(expected);
  });
});
