import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { handler as createPet } from '../../../functions/createPet.ts';
import { handler as getPet } from '../../../functions/getPet.ts';
import { documentClient } from '../../../infra/local/documentClient.ts';
import { issueApiKey } from '../../../infra/tools/apiKeyRegistry.ts';
import { config } from '../../../lib/config.ts';
import { call, registry, restEvent } from '../../helpers/api.ts';
import { captureLog } from '../../helpers/captureLog.ts';
import {
  connectionReset,
  deleteItem,
  emptyStore,
  idempotencyRecords,
  interceptDatabase,
  storedPets,
  storeItem,
  takeIds,
} from '../../helpers/database.ts';
import { minimalPet, newKey, rex, storedPet } from '../../helpers/samplePets.ts';

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;

const create = (idempotencyKey: string, body: unknown = rex, headers = {}) =>
  call(createPet, { idempotencyKey, body, headers });

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
const storeStranger = (id: bigint) =>
  storeItem(storedPet(id, { name: 'Stranger', token: 'other' }));

beforeEach(emptyStore);

describe('addPetOnce', () => {
  it('makes one pet of racing requests whose id is taken', async () => {
    captureLog();
    await Promise.all([create(newKey()), create(newKey()), create(newKey())]);
    await deleteItem('COUNTER');
    const key = newKey();

    const responses = await Promise.all(Array.from({ length: 10 }, () => create(key)));

    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(await storedPets()).toHaveLength(4);
  });

  it('skips a range of taken ids in about log2 of its length attempts', async () => {
    captureLog();
    await takeIds(60);

    const { json } = await create(newKey());

    expect(json.id).toBe(63);
  });

  it('decides by strongly consistent reads', async () => {
    const key = newKey();
    await create(key);
    const reads: unknown[] = [];
    interceptDatabase(({ action, input, pass }) => {
      if (action === 'GetItem') reads.push(input.ConsistentRead);
      return pass();
    });

    await create(key);

    // The record, and the pet that is there already.
    expect(reads).toEqual([true, true]);
  });

  it('treats bodies as equal if they mean the same pet', async () => {
    const key = newKey();
    const first = await create(key, minimalPet);

    const second = await create(key, { note: 'unknown', status: 'available', ...minimalPet });

    expect(second.text).toBe(first.text);
  });

  it('responds 422 if the body has another name, and stores nothing', async () => {
    const key = newKey();
    await create(key);

    const { status, json } = await create(key, { ...rex, name: 'Max' });

    expect(status).toBe(422);
    expect(json).toEqual({
      code: 'idempotency_key_reused',
      message:
        'This Idempotency-Key was used for another body within 24 hours: send a new key with a new body.',
      status: 422,
    });
    expect(await storedPets()).toHaveLength(1);
  });

  it('lets two clients use the same key', async () => {
    const key = newKey();
    const otherApiKey = await issueApiKey(registry, { name: 'another client' });

    const mine = await create(key);
    const theirs = await create(key, rex, { Authorization: `Bearer ${otherApiKey}` });

    expect(theirs.status).toBe(201);
    expect(theirs.json.id).not.toBe(mine.json.id);
  });

  it('returns the same pet for requests sent within 24 hours of the response and looked up later', async () => {
    const key = newKey();
    const startMs = Date.now();
    vi.useFakeTimers({ toFake: ['Date'], now: startMs });
    const first = await create(key);

    // 10 s until the first response, 29 s until the lookup, and clocks that differ by 4 minutes.
    vi.setSystemTime(startMs + dayMs + (10 + 29 + 4 * 60) * 1000);
    expect((await create(key)).text).toBe(first.text);
    expect((await create(key, { ...rex, name: 'Max' })).status).toBe(422);
  });

  it('forgets a key 5 minutes after the 24 hours, even if DynamoDB still has the record', async () => {
    const key = newKey();
    const startMs = Math.floor(Date.now() / 1000) * 1000 + 999;
    vi.useFakeTimers({ toFake: ['Date'], now: startMs });
    const first = await create(key);

    vi.setSystemTime(startMs + dayMs + 5 * 60_000);
    const later = await create(key, { ...rex, name: 'Max' });
    expect(later.status).toBe(201);
    expect(later.json.id).not.toBe(first.json.id);
    expect((await create(key, { ...rex, name: 'Max' })).text).toBe(later.text);
  });

  it.each(['a\tb', '\u007f'])('responds 400 for the key %j', async (key) => {
    const { status, json } = await create(key);

    expect(status).toBe(400);
    expect(json.message).toBe('idempotency-key must have 1 to 255 visible ASCII characters.');
  });

  it('responds 400 for two headers, and names a fault of the body too', async () => {
    const event = restEvent({ body: { ...rex, status: 'lost' } });
    event.multiValueHeaders = { ...event.multiValueHeaders, 'Idempotency-Key': ['a', 'b'] };

    const { statusCode, body } = await createPet(event);

    expect(statusCode).toBe(400);
    expect(JSON.parse(body).message).toBe(
      'idempotency-key must be sent only once; status must be one of available, pending, sold.',
    );
  });
});

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
