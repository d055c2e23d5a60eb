import { beforeEach, describe, expect, it } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { handler as listPets } from '../../functions/listPets.ts';
import { petsTable } from '../../lib/dynamodb/tables.ts';
import { call } from '../helpers/api.ts';
import { emptyStore, interceptDatabase, storeItem, storeItems } from '../helpers/database.ts';
import { rex as body, storedPet } from '../helpers/samplePets.ts';

const recordActions = () => interceptDatabase(({ pass }) => pass());

beforeEach(async () => {
  await emptyStore();
  await call(listPets); // from here on the instance remembers the key
});

describe('round trips', () => {
  it('createPet takes an id and writes the pet, and its entry in the only index', async () => {
    const actions = recordActions();

    await call(createPet, { body });

    expect(actions).toEqual(['UpdateItem', 'PutItem']);
    // Every index of the table has every pet.
    expect(Object.keys(petsTable.indexes)).toEqual(['byStatus']);
  });

  it('createPet with a new Idempotency-Key costs one read and one write more, and a retry two reads and one write', async () => {
    const sent = { body, idempotencyKey: 'counted' };
    const actions = recordActions();

    await call(createPet, sent);
    const first = actions.splice(0);
    await call(createPet, sent);

    expect(first).toEqual(['GetItem', 'UpdateItem', 'PutItem', 'PutItem']);
    expect(actions).toEqual(['GetItem', 'PutItem', 'GetItem']);
  });

  it('createPet costs three round trips more for each id that is taken, and four with an Idempotency-Key', async () => {
    // The first pet skips id 1 and gets 3. The second one skips 4.
    await storeItems([{ pk: 'PET#1' }, { pk: 'PET#4' }]);
    const actions = recordActions();

    await call(createPet, { body });
    const withoutKey = actions.splice(0);
    await call(createPet, { body, idempotencyKey: 'taken' });

    const refused = ['PutItem', 'GetItem', 'UpdateItem'];
    expect(withoutKey).toEqual(['UpdateItem', ...refused, 'PutItem']);
    const record = ['GetItem', 'UpdateItem', 'PutItem'];
    expect(actions).toEqual([...record, ...refused, 'UpdateItem', 'PutItem']);
  });

  it('listPets of one status sends one query, which starts after its cursor', async () => {
    for (const id of [1n, 2n, 3n, 4n, 5n]) await storeItem(storedPet(id, { status: 'sold' }));
    const { headers } = await call(listPets, { query: { status: 'sold', limit: '3' } });
    const cursor = /cursor=([\w-]+)/.exec(headers.Link ?? '')?.[1] ?? '';
    const queries: unknown[] = [];
    interceptDatabase(({ action, input, pass }) => {
      queries.push({ action, ...input });
      return pass();
    });

    await call(listPets, { query: { status: 'sold', limit: '3', cursor } });

    const values = { ':statusShard': { S: 'sold#0' }, ':afterId': { N: '3' } };
    expect(queries).toMatchObject([{ action: 'Query', ExpressionAttributeValues: values }]);
  });
});
