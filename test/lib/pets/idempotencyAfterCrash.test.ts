import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { handler as getPet } from '../../../functions/getPet.ts';
import { documentClient } from '../../../infra/local/documentClient.ts';
import { config } from '../../../lib/config.ts';
import { call } from '../../helpers/api.ts';
import { captureLog } from '../../helpers/captureLog.ts';
import { createWithKey as create, newKey, rex } from '../../helpers/createWithKey.ts';
import {
  connectionReset,
  emptyStore,
  idempotencyRecords,
  interceptDatabase,
  storedPets,
  storeItem,
} from '../../helpers/database.ts';

const hourMs = 60 * 60 * 1000;

beforeEach(emptyStore);

afterEach(() => {
  vi.useRealTimers();
});

/** Deletes the record of a key, as DynamoDB's time to live does at any time after the expiry. */
async function deleteRecord(key: string): Promise<void> {
  const TableName = config.idempotencyTableName;
  for (const { scopedKey } of await idempotencyRecords()) {
    if (String(scopedKey).endsWith(`#${key}`)) {
      await documentClient.send(new DeleteCommand({ TableName, Key: { scopedKey } }));
    }
  }
}

/** Stores a pet of another request, as if the counter had been set back. */
async function storeStranger(id: bigint): Promise<void> {
  const stranger = { name: 'Stranger', categoryId: 1n, status: 'sold', token: 'other' };
  await storeItem({ pk: `PET#${id}`, id, statusShard: 'sold#0', ...stranger });
}

describe('addPetOnce, when a process dies', () => {
  /** Lets the first `count` writes through and breaks every connection after them, for good. */
  function dieAfterWrites(count: number, isResponseLost: boolean): void {
    let writes = 0;
    interceptDatabase(async ({ action, pass }) => {
      const isWrite = action === 'PutItem' || action === 'UpdateItem';
      if (writes < count) {
        const response = await pass();
        if (isWrite) writes += 1;
        if (writes === count && isResponseLost) throw connectionReset();
        return response;
      }
      throw connectionReset();
    });
  }

  // The writes of a creation: the counter, the record, the pet.
  const deaths = [1, 2, 3].flatMap((count) => [
    { count, isResponseLost: false },
    { count, isResponseLost: true },
  ]);
  it.each(deaths)(
    'finishes exactly one pet after write $count (its response lost: $isResponseLost)',
    async ({ count, isResponseLost }) => {
      captureLog();
      const key = newKey();
      await create(newKey(), { ...rex, name: 'Knows the API key' });
      dieAfterWrites(count, isResponseLost);
      const died = await create(key);
      vi.restoreAllMocks();

      const first = await create(key);
      const second = await create(key);

      expect(died.status).toBe(count === 3 && !isResponseLost ? 201 : 503);
      expect(first.status).toBe(201);
      expect(second.text).toBe(first.text);
      expect(await storedPets()).toHaveLength(2);
      expect((await call(getPet, { petId: String(first.json.id) })).text).toBe(first.text);
      if (count === 3 && !isResponseLost) expect(first.text).toBe(died.text);
    },
  );

  it('responds 503 if it cannot know whether the record was written, and leaves the pet to a retry', async () => {
    captureLog();
    const key = newKey();
    interceptDatabase(async ({ action, pass }) => {
      const response = await pass();
      if (action === 'PutItem') throw connectionReset();
      return response;
    });

    const unknown = await create(key);
    vi.restoreAllMocks();
    const petsBefore = await storedPets();
    const retried = await create(key);

    expect(unknown.status).toBe(503);
    expect(petsBefore).toEqual([]);
    expect(retried.status).toBe(201);
    expect(retried.json.id).toBe(1);
  });

  it.each(['UpdateItem', 'PutItem'])(
    'adds one pet if each response to %s is lost once',
    async (lost) => {
      const key = newKey();
      const lostOnce = new Set<string>();
      interceptDatabase(async ({ action, input, pass }) => {
        const response = await pass();
        const write = `${action} ${JSON.stringify(input.TableName)}`;
        if (action !== lost || lostOnce.has(write)) return response;
        lostOnce.add(write);
        throw connectionReset();
      });

      const first = await create(key);
      const second = await create(key);

      expect(first.status).toBe(201);
      expect(second.text).toBe(first.text);
      expect(await storedPets()).toHaveLength(1);
    },
  );

  it('uses another id if the reserved one was taken meanwhile', async () => {
    captureLog();
    const key = newKey();
    await create(newKey());
    dieAfterWrites(2, false);
    await create(key);
    vi.restoreAllMocks();
    await storeStranger(2n);

    const first = await create(key);
    const second = await create(key);

    expect(first.status).toBe(201);
    expect(first.json.id).toBeGreaterThan(2);
    expect(second.text).toBe(first.text);
    expect((await call(getPet, { petId: '2' })).json.name).toBe('Stranger');
    expect(await storedPets()).toHaveLength(3);
  });

  it('reserves another id if the expired record disappears while its taken id is changed', async () => {
    captureLog();
    const key = newKey();
    dieAfterWrites(2, false);
    await create(key);
    vi.restoreAllMocks();
    await storeStranger(1n);
    interceptDatabase(async ({ action, input, pass }) => {
      if (action === 'UpdateItem' && input.TableName === config.idempotencyTableName) {
        await deleteRecord(key);
      }
      return pass();
    });

    const response = await create(key);
    vi.restoreAllMocks();

    expect(response.status).toBe(201);
    expect((await create(key)).text).toBe(response.text);
    expect((await storedPets()).map(({ name }) => name).sort()).toEqual(['Rex', 'Stranger']);
  });

  it('keeps a key for 24 hours from the change of a taken id, because no response came before', async () => {
    captureLog();
    const key = newKey();
    const startMs = Date.now();
    vi.useFakeTimers({ toFake: ['Date'], now: startMs });
    dieAfterWrites(2, false);
    await create(key);
    vi.restoreAllMocks();
    await storeStranger(1n);

    vi.setSystemTime(startMs + 23 * hourMs);
    const first = await create(key);
    vi.setSystemTime(startMs + 46 * hourMs);
    const second = await create(key);

    expect(first.status).toBe(201);
    expect(second.text).toBe(first.text);
  });

  it('reserves another id if the record of a faster request disappears before it is read', async () => {
    const key = newKey();
    let isFirstLookup = true;
    let isRecordTaken = false;
    interceptDatabase(async ({ action, input, pass }) => {
      if (input.TableName !== config.idempotencyTableName) return pass();
      if (action === 'GetItem' && isFirstLookup) {
        isFirstLookup = false;
        const response = await pass();
        await create(key);
        isRecordTaken = true;
        return response;
      }
      if (action === 'GetItem' && isRecordTaken) {
        isRecordTaken = false;
        await deleteRecord(key);
      }
      return pass();
    });

    const response = await create(key);
    vi.restoreAllMocks();

    expect(response.status).toBe(201);
    expect((await create(key)).text).toBe(response.text);
  });
});
