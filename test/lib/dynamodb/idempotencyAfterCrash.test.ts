import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { handler as createPet } from '../../../functions/createPet.ts';
import { handler as getPet } from '../../../functions/getPet.ts';
import { documentClient } from '../../../infra/local/documentClient.ts';
import { config } from '../../../lib/config.ts';
import { call } from '../../helpers/api.ts';
import { captureLog } from '../../helpers/captureLog.ts';
import {
  connectionReset,
  emptyStore,
  idempotencyRecords,
  interceptDatabase,
  storedPets,
  storeItem,
  storeItems,
} from '../../helpers/database.ts';
import { newKey, rex, storedPet } from '../../helpers/samplePets.ts';

const hourMs = 60 * 60 * 1000;

const create = (idempotencyKey: string, body = rex) => call(createPet, { idempotencyKey, body });

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

async function recordOf(key: string) {
  const records = await idempotencyRecords();
  return records.find(({ scopedKey }) => String(scopedKey).endsWith(`#${key}`));
}

/** Reserves an id for a key, and dies. Another request takes the id, as if the counter had been set back. */
async function loseReservedId(key: string): Promise<void> {
  captureLog();
  dieAfterWrites(2, false);
  await create(key);
  vi.restoreAllMocks();
  const { petId } = (await recordOf(key)) ?? {};
  await storeItem(storedPet(petId as bigint, { token: 'stranger' }));
}

const storedTokens = async () => (await storedPets()).map(({ token }) => token).sort();

/** Deletes the record of a key, as DynamoDB's time to live does at any time after the expiry. */
async function deleteRecord(key: string): Promise<void> {
  const { scopedKey } = (await recordOf(key)) ?? {};
  if (!scopedKey) return;
  const TableName = config().tableNames.idempotency;
  await documentClient.send(new DeleteCommand({ TableName, Key: { scopedKey } }));
}

beforeEach(emptyStore);

describe('addPetOnce after a crash', () => {
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
      await create(newKey()); // from here on the instance remembers the key
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

  it('uses another id if the reserved one was taken meanwhile', async () => {
    const key = newKey();
    await loseReservedId(key);

    const first = await create(key);
    const second = await create(key);

    expect(first.status).toBe(201);
    expect(second.text).toBe(first.text);
    expect(await storedTokens()).toEqual([expect.stringMatching(/^[\da-f-]{36}$/), 'stranger']);
  });

  it('reserves another id if the expired record disappears while its taken id is changed', async () => {
    const key = newKey();
    await loseReservedId(key);
    interceptDatabase(async ({ action, input, pass }) => {
      if (action === 'UpdateItem' && input.TableName === config().tableNames.idempotency) {
        await deleteRecord(key);
      }
      return pass();
    });

    const response = await create(key);
    vi.restoreAllMocks();

    expect(response.status).toBe(201);
    expect((await create(key)).text).toBe(response.text);
    expect(await storedTokens()).toEqual([expect.stringMatching(/^[\da-f-]{36}$/), 'stranger']);
  });

  it('keeps a key for 24 hours from the change of a taken id, because no response came before', async () => {
    const key = newKey();
    const startMs = Date.now();
    vi.useFakeTimers({ toFake: ['Date'], now: startMs });
    await loseReservedId(key);

    vi.setSystemTime(startMs + 23 * hourMs);
    const first = await create(key);
    vi.setSystemTime(startMs + 46 * hourMs);
    const second = await create(key);

    expect(first.status).toBe(201);
    expect(second.text).toBe(first.text);
  });

  it('writes a new record if the earlier one disappears before it is read', async () => {
    const key = newKey();
    await create(key);
    interceptDatabase(async ({ action, input, pass }) => {
      const isRecord = input.TableName === config().tableNames.idempotency;
      if (action === 'GetItem' && isRecord) await deleteRecord(key);
      return pass();
    });

    const response = await create(key);
    vi.restoreAllMocks();

    expect(response.status).toBe(201);
    expect((await create(key)).text).toBe(response.text);
  });

  it('leaves a record alone that replaced its own, even with the same id', async () => {
    const key = newKey();
    await loseReservedId(key);
    let replacement: Record<string, unknown> | undefined;
    interceptDatabase(async ({ action, input, pass }) => {
      const isRecord = input.TableName === config().tableNames.idempotency;
      if (action === 'UpdateItem' && isRecord && !replacement) {
        replacement = { ...(await recordOf(key)), token: 'of another request' };
        await storeItems([replacement], config().tableNames.idempotency);
      } else if (action === 'PutItem' && isRecord && replacement) {
        throw connectionReset(); // the request dies after the refused change
      }
      return pass();
    });

    captureLog();
    await create(key);
    vi.restoreAllMocks();

    expect(replacement).toBeDefined();
    expect(await recordOf(key)).toEqual(replacement);
  });
});
