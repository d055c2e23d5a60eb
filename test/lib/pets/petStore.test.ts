import { beforeEach, describe, expect, it, vi } from 'vitest';
import { handler as createPet } from '../../../functions/createPet.ts';
import { handler as getPet } from '../../../functions/getPet.ts';
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

const create = () => call(createPet, { body: rex });

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

  it('overwrites no pet if the counter was set back', async () => {
    captureLog();
    for (let n = 1; n <= 8; n += 1) await create();
    const before = await storedPets();
    await storeItem({ pk: 'COUNTER', lastId: 3n });

    const { status, json } = await create();

    expect(status).toBe(201);
    expect(json.id).toBeGreaterThan(8);
    expect(await storedPets()).toEqual(expect.arrayContaining(before));
    expect(await storedPets()).toHaveLength(9);
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

    expect(log.lines()).toMatchObject([
      { level: 'WARN', code: 'id_taken', table: 'pets', id: '1' },
    ]);
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
