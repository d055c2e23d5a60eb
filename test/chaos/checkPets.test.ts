import { beforeEach, describe, expect, it } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { config } from '../../lib/config.ts';
import { call } from '../helpers/api.ts';
import { deleteItem, emptyStore, storedItems, storeItem } from '../helpers/database.ts';
import { checkPets } from './checkPets.ts';
import { Ledger } from './Ledger.ts';

let ledger: Ledger;
let keyNumber = 0;

/** Creates a pet and notes it, as the clients of a chaos run do. */
async function create(name: string): Promise<Record<string, unknown> & { pk: string }> {
  const idempotencyKey = `key-${++keyNumber}`;
  const { text, json } = await call(createPet, {
    body: { name, categoryId: 7, status: 'sold' },
    headers: { 'Idempotency-Key': idempotencyKey },
  });
  const creation = { name, categoryId: '7', status: 'sold', idempotencyKey };
  ledger.creations.push(creation);
  ledger.acknowledge(creation, text);
  const pet = (await storedItems()).find(({ pk }) => pk === `PET#${json.id}`);
  if (!pet) throw new Error('The pet is not stored.');
  return pet;
}

const check = () =>
  checkPets(ledger, {
    endpoint: process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '',
    TableName: config.petsTableName,
    mayIndexHoldMore: false,
  });

beforeEach(async () => {
  ledger = new Ledger();
  await emptyStore();
});

describe('checkPets', () => {
  it('finds nothing if every promise was kept', async () => {
    await create('Rex');
    await create('Mia');

    expect(await check()).toEqual([]);
  });

  it.each<[string, string, (pet: Awaited<ReturnType<typeof create>>) => Promise<void> | void]>([
    ['is gone', 'was acknowledged but is not stored', ({ pk }) => deleteItem(pk)],
    ['has changed', 'is stored as', (pet) => storeItem({ ...pet, categoryId: 8n })],
    [
      'occurs twice',
      'the name Rex occurs 2 times',
      (pet) => storeItem({ ...pet, pk: 'PET#90', id: 90n, token: 'other' }),
    ],
    [
      'shares its id',
      'the id 1 occurs 2 times',
      (pet) => storeItem({ ...pet, pk: 'PET#90', token: 'other' }),
    ],
    [
      'was never sent',
      '"Stranger" is stored but was never sent',
      (pet) => storeItem({ ...pet, pk: 'PET#90', id: 90n, token: 'other', name: 'Stranger' }),
    ],
    ['is not in the index', 'is not in the index', ({ statusShard: _, ...pet }) => storeItem(pet)],
  ])('finds a pet that %s', async (_case, violation, breakPromise) => {
    await breakPromise(await create('Rex'));

    expect(await check()).toContainEqual(expect.stringContaining(violation));
  });
});
