import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { handler as getPet } from '../../../functions/getPet.ts';
import { handler as listPets } from '../../../functions/listPets.ts';
import { issueApiKey, revokeApiKey } from '../../../infra/tools/apiKeyRegistry.ts';
import { apiKeyDigest, apiKeyId, createApiKey } from '../../../lib/apiKeys/apiKey.ts';
import { dynamoDb } from '../../../lib/dynamodb/client.ts';
import { apiKey, call, registry, restEvent } from '../../helpers/api.ts';
import { interceptDatabase } from '../../helpers/database.ts';
import { loadHandler } from '../../helpers/loadHandler.ts';

const minuteMs = 60_000;

function advanceClock(byMs: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + byMs });
}

const bearer = (key: string) => ({ headers: { Authorization: `Bearer ${key}` } });

/** Batches of 25, the most that DynamoDB writes at once. */
function batchesOf<T>(items: T[]): T[][] {
  const starts = Array.from({ length: Math.ceil(items.length / 25) }, (_, n) => n * 25);
  return starts.map((start) => items.slice(start, start + 25));
}

/** Writes many keys at once, in the form that issuing them gives. */
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

describe('lookUpApiKey', () => {
  it('reads a known key once a minute', async () => {
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

  it('reads a revoked key each time', async () => {
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

  it('remembers a thousand keys, and forgets all of them before it remembers the next', async () => {
    const keys = await issueApiKeys(1000);
    const [firstKey = '', secondKey = ''] = keys;
    const newInstance = await loadHandler('getPet', {});
    const { dynamoDb: itsDatabase } = await import('../../../lib/dynamodb/client.ts');
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

  it('reads nothing for a key of another form', async () => {
    const actions = interceptDatabase(({ pass }) => pass());

    await call(listPets, bearer(`${apiKey.slice(0, -1)}!`));
    await call(listPets, bearer(createApiKey('v1-staging')));
    await call(listPets, bearer(`ps_test_${'A'.repeat(49)}`));

    expect(actions).toEqual([]);
  });
});
