import { beforeEach, describe, expect, it } from 'vitest';
import { handler as listPets } from '../../../functions/listPets.ts';
import { call, loadHandler } from '../../helpers/api.ts';
import { captureLog } from '../../helpers/captureLog.ts';
import { emptyStore, interceptDatabase, storedPets, storeItem } from '../../helpers/database.ts';
import { minimalPet, rex, rexFilter, storedPet } from '../../helpers/samplePets.ts';

beforeEach(emptyStore);

describe('a stored pet', () => {
  it('has a shard of its status', async () => {
    const create = await loadHandler('createPet', { SHARDS: '4', WRITE_SHARDS: '3' });
    for (let n = 1; n <= 3; n += 1) await call(create, { body: rex });

    const shards = (await storedPets()).map(({ statusShard }) => statusShard).sort();
    expect(shards).toEqual([0n, 1n, 2n].map((n) => storedPet(n, {}, n).statusShard));
  });
});

describe('a damaged pet', () => {
  it('is logged, and replaced by the next pet of the page', async () => {
    const log = captureLog();
    await call(listPets); // from here on the instance remembers the key
    const [field = ''] = Object.keys(minimalPet);
    for (const id of [1n, 2n, 3n]) await storeItem(storedPet(id, id === 2n ? { [field]: {} } : {}));
    const limits: unknown[] = [];
    interceptDatabase(({ input, pass }) => {
      limits.push(input.Limit);
      return pass();
    });

    const { json } = await call(listPets, { query: { limit: '2', ...rexFilter } });

    expect(json.map(({ id }: { id: number }) => id)).toEqual([1, 3]);
    expect(limits).toEqual([2, 1]);
    const cause = { message: `The stored pet PET#2 has no valid ${field}.` };
    expect(log.lines()).toMatchObject([
      { level: 'ERROR', code: 'item_damaged', table: 'pets', pk: 'PET#2', cause },
    ]);
  });
});
