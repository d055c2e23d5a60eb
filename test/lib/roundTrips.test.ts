import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { handler as listPets } from '../../functions/listPets.ts';
import { operations } from '../../lib/operations.ts';
import { tables } from '../../lib/tables.ts';
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
      expect(Object.keys(tables.pets.indexes)).toEqual(['byStatus']);
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

  it('listPets takes one round trip, because it queries all partitions at once', async () => {
    const [{ partitions }] = operations.listPets.access;
    let [underWay, most] = [0, 0];
    const limits: unknown[] = [];
    const actions = interceptDatabase(async ({ input, pass }) => {
      limits.push(input.Limit);
      underWay += 1;
      most = Math.max(most, underWay);
      await setImmediate(); // the other queries are sent meanwhile
      underWay -= 1;
      return pass();
    });

    await call(listPets, { query: { limit: '4' } });

    expect(actions).toEqual(Array(partitions).fill('Query'));
    expect(limits).toEqual(Array(partitions).fill(4));
    expect(most).toBe(partitions);
  });

  it('listPets of one status sends one query, which starts after its cursor', async () => {
    for (const id of [1n, 2n, 3n, 4n, 5n]) await storeItem(storedPet(id));
    const { headers } = await call(listPets, { query: { ...rexFilter, limit: '3' } });
    const cursor = /cursor=([\w-]+)/.exec(headers.Link ?? '')?.[1] ?? '';
    const [partition] = Object.values(rexFilter);
    const queries: unknown[] = [];
    interceptDatabase(({ action, input, pass }) => {
      queries.push([action, ...Object.values(Object(input.ExpressionAttributeValues))]);
      return pass();
    });

    await call(listPets, { query: { ...rexFilter, limit: '3', cursor } });

    expect(queries).toEqual([['Query', { S: partition }, { N: '3' }]]);
  });
});
