import { BatchWriteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { handler as createPet } from '../../../functions/createPet.ts';
import { handler as getPet } from '../../../functions/getPet.ts';
import { handler as listPets } from '../../../functions/listPets.ts';
import { issueApiKey, listApiKeys, revokeApiKey } from '../../../infra/tools/apiKeyRegistry.ts';
import { apiKeyDigest, apiKeyId, createApiKey } from '../../../lib/apiKey.ts';
import { dynamoDb } from '../../../lib/dynamoDb.ts';
import { stringifyExactJson } from '../../../lib/exactJson.ts';
import { apiKey, call, registry, restEvent } from '../../helpers/api.ts';
import { captureLog } from '../../helpers/captureLog.ts';
import { interceptDatabase } from '../../helpers/database.ts';
import { loadHandler } from '../../helpers/loadHandler.ts';

const minuteMs = 60_000;

function advanceClock(byMs: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + byMs });
}

const bearer = (key: string) => ({ headers: { Authorization: `Bearer ${key}` } });

/** As many as DynamoDB writes at once. */
function batchesOf<T>(items: T[]): T[][] {
  const starts = Array.from({ length: Math.ceil(items.length / 25) }, (_, n) => n * 25);
  return starts.map((start) => items.slice(start, start + 25));
}

/** Writes many keys at once, as they are after they were issued one by one. */
async function issueApiKeys(count: number): Promise<string[]> {
  const keys = Array.from({ length: count }, () => createApiKey('test'));
  for (const batch of batchesOf(keys)) {
    const requests = batch.map((key) => {
      const Item = { digest: apiKeyDigest(key), name: 'one of many', createdAtEpochSeconds: 0n };
      return { PutRequest: { Item } };
    });
    const RequestItems = { [registry.tableName]: requests };
    await dynamoDb.send(new BatchWriteCommand({ RequestItems }));
  }
  return keys;
}

afterEach(() => {
  vi.useRealTimers();
});

describe('callerAuthenticated', () => {
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
    ['of a scheme that ends alike', { Authorization: `NoBearer ${apiKey}` }],
    ['of two lines', { Authorization: `Bearer ${apiKey}\nx` }],
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
    expect(json).toEqual({
      code: 'unauthorized',
      message:
        'The API key is not valid: it is mistyped, expired, revoked or of another deployment.',
      status: 401,
    });
    expect(headers['WWW-Authenticate']).toBe('Bearer realm="petstore", error="invalid_token"');
  });

  it.each([
    ['both with a live key', [`Bearer ${apiKey}`, `Bearer ${apiKey}`]],
    ['with a half of the credentials each', ['Bearer ', apiKey]],
  ])('answers 401 for two Authorization headers, %s', async (_case, Authorization) => {
    const event = restEvent();
    event.multiValueHeaders = { Authorization };

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
    advanceClock(0);

    await get();
    await get();
    advanceClock(minuteMs - 1);
    await get();
    expect(actions).toEqual(['GetItem']);

    advanceClock(1);
    await get();
    expect(actions).toEqual(['GetItem', 'GetItem']);
  });

  it('asks the database each time for a key that is revoked', async () => {
    const key = await issueApiKey(registry, { name: 'not remembered' });
    await revokeApiKey(registry, apiKeyId(apiKeyDigest(key)));
    const reads: unknown[] = [];
    interceptDatabase(({ input, pass }) => {
      reads.push(input.ConsistentRead);
      return pass();
    });

    for (const _request of [1, 2]) await call(listPets, bearer(key));

    expect(reads).toEqual([true, true]);
  });

  it('remembers the keys of several clients', async () => {
    const keys = [
      await issueApiKey(registry, { name: 'one' }),
      await issueApiKey(registry, { name: 'two' }),
    ];
    const actions = interceptDatabase(({ pass }) => pass());

    for (const key of [...keys, ...keys]) await call(getPet, { petId: 'none', ...bearer(key) });

    expect(actions).toEqual(['GetItem', 'GetItem']);
  });

  it('logs nothing of a live key, nor of one that was never issued', async () => {
    const key = await issueApiKey(registry, { name: 'unlogged' });
    const log = captureLog();

    await call(listPets, bearer(key));
    await call(listPets, bearer(createApiKey('test')));

    expect(log.text()).toBe('');
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
    const records = stringifyExactJson(await listApiKeys(registry));

    expect(records).toContain(apiKeyDigest(apiKey));
    expect(records).not.toContain(apiKey);
  });

  it('answers 401 for a key whose record is damaged, and logs its id', async () => {
    const key = createApiKey('test');
    const Item = { digest: apiKeyDigest(key), name: 'without a date' };
    await dynamoDb.send(new PutCommand({ TableName: registry.tableName, Item }));
    const log = captureLog();

    const { status } = await call(listPets, bearer(key));

    expect(status).toBe(401);
    expect(log.lines()).toMatchObject([
      {
        level: 'ERROR',
        code: 'api_key_damaged',
        apiKeyId: apiKeyId(apiKeyDigest(key)),
        cause: { message: expect.stringContaining('createdAtEpochSeconds') },
      },
    ]);
    expect(log.text()).not.toContain(key);
  });

  it('asks the database nothing for a key that cannot be one', async () => {
    const actions = interceptDatabase(({ pass }) => pass());

    await call(listPets, bearer(`${apiKey.slice(0, -1)}!`));
    await call(listPets, bearer(createApiKey('v1-staging')));
    await call(listPets, bearer(`ps_test_${'A'.repeat(49)}`));

    expect(actions).toEqual([]);
  });

  it('remembers a thousand keys, and forgets them all before it remembers one more', async () => {
    const keys = await issueApiKeys(1000);
    const [firstKey = '', secondKey = ''] = keys;
    const newInstance = await loadHandler('getPet', {});
    const { dynamoDb: itsDatabase } = await import('../../../lib/dynamoDb.ts');
    const actions = interceptDatabase(({ pass }) => pass(), itsDatabase);
    const get = (key: string) => newInstance(restEvent({ petId: 'none', ...bearer(key) }));
    const readsFor = async (...some: string[]) => {
      const before = actions.length;
      for (const batch of batchesOf(some)) await Promise.all(batch.map(get));
      return actions.length - before;
    };

    expect(await readsFor(...keys, firstKey)).toBe(1000);
    expect(await readsFor(apiKey)).toBe(1);
    expect(await readsFor(apiKey, firstKey, secondKey)).toBe(2);
  });
});
