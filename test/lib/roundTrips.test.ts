import { beforeEach, describe, expect, it } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { handler as listPets } from '../../functions/listPets.ts';
import { petCollection, tables } from '../../lib/tables.ts';
import { call, loadHandler } from '../helpers/api.ts';
import { emptyTables, interceptDatabase, storeItem } from '../helpers/database.ts';
import { rex as body, rexFilter, storedPet } from '../helpers/samplePets.ts';

beforeEach(async () => {
  await emptyTables();
  await call(listPets); // from here on the instance remembers the key
});

describe('the requests to DynamoDB', () => {
  describe('createPet', () => {
    /** What a creation sends, in this order. */
    const renewLease = 'UpdateItem';
    const putRecord = 'PutItem';
    const putPet = 'PutItem';

    it('takes one round trip, and another one for the first id of a lease', async () => {
      const handler = await loadHandler('createPet', { IDS_PER_LEASE: '2' });
      await call(handler); // reads the key
      const actions = interceptDatabase();

      for (let n = 0; n < 5; n += 1) await call(handler, { body });

      const lease = [renewLease, putPet, putPet];
      expect(actions).toEqual([...lease, ...lease, renewLease, putPet]);
      // Each further index would add a write to every creation.
      expect(Object.keys(tables.pets.indexes)).toEqual(['byCollection', 'byStatus']);
    });

    // A lease of this stage has one id.
    it('takes two round trips with an Idempotency-Key, and two for its retry', async () => {
      const sent = { body, idempotencyKey: 'counted' };
      const actions = interceptDatabase();

      await call(createPet, sent);
      const first = actions.splice(0);
      await call(createPet, sent);

      expect(first).toEqual([renewLease, putRecord, putPet]);
      expect(actions).toEqual(first);
    });
  });

  it.each([
    ['all pets', {}, petCollection],
    ['one status', rexFilter, rexFilter.status],
  ])(
    'listPets of %s sends one query, which starts after its cursor',
    async (_what, filter, partition) => {
      for (const id of [1n, 2n, 3n, 4n, 5n]) await storeItem(storedPet(id));
      const { headers } = await call(listPets, { query: { ...filter, limit: '3' } });
      const cursor = /cursor=([\w-]+)/.exec(headers.Link ?? '')?.[1] ?? '';
      const queries: unknown[] = [];
      interceptDatabase(({ action, input, pass }) => {
        const values = Object.values(Object(input.ExpressionAttributeValues));
        queries.push([action, input.Limit, ...values]);
        return pass();
      });

      await call(listPets, { query: { ...filter, limit: '2', cursor } });

      expect(queries).toEqual([['Query', 2, { S: partition }, { N: '3' }]]);
    },
  );
});
