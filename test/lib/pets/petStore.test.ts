import { beforeEach, describe, expect, it, vi } from 'vitest';
import { handler as createPet } from '../../../functions/createPet.ts';
import { handler as getPet } from '../../../functions/getPet.ts';
import type { Handler } from '../../../lib/http/handler.ts';
import { call, loadHandler } from '../../helpers/api.ts';
import { captureLog } from '../../helpers/captureLog.ts';
import {
  connectionReset,
  deleteItem,
  dynamoDbError,
  emptyStore,
  interceptDatabase,
  storedPets,
  storeItem,
  takeIds,
} from '../../helpers/database.ts';
import { rex } from '../../helpers/samplePets.ts';

const create = async (name = 'Rex') => call(createPet, { body: { ...rex, name } });

beforeEach(emptyStore);

describe('addPet', () => {
  it('stores one pet if the response to the write is lost', async () => {
    let isLost = false;
    const actions = interceptDatabase(async ({ action, pass }) => {
      const response = await pass();
      if (action !== 'PutItem' || isLost) return response;
      isLost = true;
      throw connectionReset();
    });

    const { status, json } = await create();

    expect(status).toBe(201);
    expect(actions.filter((action) => action === 'PutItem')).toHaveLength(2);
    vi.restoreAllMocks();
    expect((await storedPets()).map(({ pk }) => pk)).toEqual([`PET#${json.id}`]);
    expect((await call(getPet, { petId: String(json.id) })).json).toEqual(json);
  });

  it('leaves a gap, and adds one pet, if the response of the counter is lost', async () => {
    let isLost = false;
    interceptDatabase(async ({ action, pass }) => {
      const response = await pass();
      if (action !== 'UpdateItem' || isLost) return response;
      isLost = true;
      throw connectionReset();
    });

    const { status, json } = await create();

    expect(status).toBe(201);
    expect(json.id).toBe(2);
    expect(await storedPets()).toHaveLength(1);
  });

  it('overwrites no pet if the counter was set back', async () => {
    captureLog();
    for (let n = 1; n <= 8; n += 1) await create(`Pet ${n}`);
    const before = await storedPets();
    await storeItem({ pk: 'COUNTER', lastId: 3n });

    const { status, json } = await create('The new one');

    expect(status).toBe(201);
    expect(json.id).toBeGreaterThan(8);
    expect(await storedPets()).toEqual(expect.arrayContaining(before));
    expect(await storedPets()).toHaveLength(9);
    expect((await call(getPet, { petId: '4' })).json.name).toBe('Pet 4');
  });

  it('skips a range of taken ids in about log2 of its length attempts', async () => {
    captureLog();
    await takeIds(300);
    const actions = interceptDatabase(({ pass }) => pass());

    const { json } = await create();

    expect(json.id).toBe(511);
    expect(actions.filter((action) => action === 'UpdateItem')).toHaveLength(9);
  });

  it('warns only about an id that is taken', async () => {
    await create();
    await deleteItem('COUNTER');
    const warning = await loadHandler('createPet', { LOG_LEVEL: 'WARN' });
    const log = captureLog();

    const { json } = await call(warning, { body: rex });

    expect(log.lines()).toMatchObject([{ level: 'WARN', code: 'pet_id_taken', petId: '1' }]);
    expect(json.id).toBe(3);
  });

  it('takes no other id if the write of the pet fails', async () => {
    captureLog();
    await create();
    const actions = interceptDatabase(({ action, pass }) =>
      action === 'PutItem' ? Promise.reject(dynamoDbError('ThrottlingException', 400)) : pass(),
    );

    const { status } = await create();

    expect(status).toBe(503);
    expect(actions.filter((action) => action !== 'PutItem')).toEqual(['UpdateItem']);
  });

  it.each([
    ['LimitExceededException', 400],
    ['ProvisionedThroughputExceededException', 400],
    ['RequestLimitExceeded', 400],
    ['ThrottlingException', 400],
    ['InternalServerError', 500],
  ])('responds 503 if DynamoDB reports %s', async (name, statusCode) => {
    captureLog();
    await create();
    interceptDatabase(async () => {
      throw dynamoDbError(name, statusCode);
    });

    const { status, headers } = await create();

    expect(status).toBe(503);
    expect(headers['Retry-After']).toBe('1');
  });

  it('responds 500 if DynamoDB refuses the request itself', async () => {
    captureLog();
    await create();
    interceptDatabase(async () => {
      throw dynamoDbError('AccessDeniedException', 400);
    });

    expect((await create()).status).toBe(500);
  });
});

describe('findPet', () => {
  it('makes one strongly consistent read', async () => {
    const { json } = await create();
    const reads: unknown[] = [];
    interceptDatabase(({ input, pass }) => {
      reads.push(input);
      return pass();
    });

    await call(getPet, { petId: String(json.id) });

    expect(reads).toMatchObject([{ Key: { pk: { S: `PET#${json.id}` } }, ConsistentRead: true }]);
  });
});

describe('listPets with several shards', () => {
  async function handlersWithShards(shards: number): Promise<Record<'create' | 'list', Handler>> {
    vi.resetModules();
    vi.stubEnv('SHARDS', String(shards));
    vi.stubEnv('WRITE_SHARDS', String(shards));
    return {
      create: (await import('../../../functions/createPet.ts')).handler,
      list: (await import('../../../functions/listPets.ts')).handler,
    };
  }

  it('merges the shards by ascending id', async () => {
    const { create: createSharded, list } = await handlersWithShards(4);
    for (let n = 1; n <= 9; n += 1) await call(createSharded, { body: rex });

    const { json } = await call(list, { query: { limit: '7', status: 'available' } });

    expect(json.map(({ id }: { id: number }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    const shards = new Set((await storedPets()).map(({ statusShard }) => statusShard));
    expect([...shards].sort()).toEqual([
      'available#0',
      'available#1',
      'available#2',
      'available#3',
    ]);
  });

  it('queries every shard at once, each for at most the limit', async () => {
    const { list } = await handlersWithShards(2);
    await call(list);
    const { dynamoDbClient } = await import('../../../lib/dynamodb/client.ts');
    const limits: unknown[] = [];
    interceptDatabase(async ({ input, pass }) => {
      limits.push(input.Limit);
      // No response before the sixth query: the queries do not wait for each other.
      await vi.waitUntil(() => limits.length === 6);
      return pass();
    }, dynamoDbClient);

    await call(list, { query: { limit: '7' } });

    expect(limits).toEqual([7, 7, 7, 7, 7, 7]);
  });
});
