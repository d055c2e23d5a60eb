import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { handler as createPet } from '../../../functions/createPet.ts';
import { handler as getPet } from '../../../functions/getPet.ts';
import { handler as listPets } from '../../../functions/listPets.ts';
import { call, loadHandler } from '../../helpers/api.ts';
import { captureLog } from '../../helpers/captureLog.ts';
import {
  dynamoDbError,
  emptyTables,
  interceptDatabase,
  storeItem,
  takeIds,
} from '../../helpers/database.ts';
import { minimalPet, rex, rexFilter, storedPet } from '../../helpers/samplePets.ts';

const create = () => call(createPet, { body: rex });

beforeEach(emptyTables);

describe('addPet', () => {
  it('skips a range of taken ids in about log2 of its length attempts', async () => {
    captureLog();
    await takeIds(300);
    const actions = interceptDatabase();

    const { json } = await create();

    expect(json.id).toBe(511);
    expect(actions.filter((action) => action === 'UpdateItem')).toHaveLength(9);
  });

  it('warns only about an id that is taken', async () => {
    await takeIds(1);
    const warning = await loadHandler('createPet', { LOG_LEVEL: 'WARN' });
    const log = captureLog();

    const { json } = await call(warning, { body: rex });

    expect(log.lines()).toMatchObject([
      { level: 'WARN', code: 'id_taken', table: 'pets', id: '1' },
    ]);
    expect(json.id).toBe(3);
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
});

it.each([
  ['before a limit became tighter', { name: '' }],
  ['with a status that only a later version knows', { status: 'grey' }],
])('a pet that was stored %s is still returned', async (_when, changed) => {
  await storeItem(storedPet(1n, changed));

  const { status, text } = await call(getPet, { pathParameters: { petId: '1' } });

  expect(status).toBe(200);
  expect((await call(listPets)).text).toBe(`[${text}]`);
});

describe('a damaged pet', () => {
  const [field = ''] = Object.keys(minimalPet);

  it('logs a damaged pet, and lists the next pet of the page in its place', async () => {
    const log = captureLog();
    await call(listPets); // from here on the instance remembers the key
    for (const id of [1n, 2n, 3n]) await storeItem(storedPet(id, id === 2n ? { [field]: {} } : {}));
    const limits: unknown[] = [];
    interceptDatabase(({ input, pass }) => {
      limits.push(input.Limit);
      return pass();
    });

    const { json } = await call(listPets, { query: { limit: '2', ...rexFilter } });

    expect(json.map(({ id }: { id: number }) => id)).toEqual([1, 3]);
    expect(limits).toEqual([2, 1]);
    const cause = { message: `PET#2 has no valid ${field}.` };
    expect(log.lines()).toMatchObject([
      { level: 'ERROR', code: 'item_damaged', table: 'pets', pk: 'PET#2', cause },
    ]);
  });

  it('continues a list after a damaged pet whose id is a fraction, at the end of a page', async () => {
    captureLog();
    await call(listPets);
    // A query that continues after the rounded id would read the same pet again.
    await storeItem({ ...storedPet(2n), id: NumberValue.from('1.50000000000000000001') });
    await storeItem(storedPet(3n));
    const queries = interceptDatabase(({ pass }) => {
      if (queries.length > 2) throw new TypeError('The list does not end.');
      return pass();
    });

    const { json } = await call(listPets, { query: { limit: '1', ...rexFilter } });

    expect(json).toMatchObject([{ id: 3 }]);
    expect(queries).toEqual(['Query', 'Query']);
  });

  it('responds 500 if getPet finds a damaged pet, because 404 would be wrong', async () => {
    const log = captureLog();
    await storeItem(storedPet(1n, { [field]: undefined }));

    const { status } = await call(getPet, { pathParameters: { petId: '1' } });

    expect(status).toBe(500);
    const cause = { message: `PET#1 has no valid ${field}.` };
    expect(log.lines()).toMatchObject([
      { code: 'item_damaged', table: 'pets', pk: 'PET#1', cause },
      { code: 'request_failed', cause },
    ]);
  });
});
