import { beforeEach, describe, expect, it } from 'vitest';
import { handler as createPet } from '../../../functions/createPet.ts';
import { handler as getPet } from '../../../functions/getPet.ts';
import { handler as listPets } from '../../../functions/listPets.ts';
import { apiKey, call, loadHandler } from '../../helpers/api.ts';
import { captureLog } from '../../helpers/captureLog.ts';
import { emptyStore, interceptDatabase, storedPets, storeItem } from '../../helpers/database.ts';
import { exactIntegers, petWithInteger, rex, storedPet } from '../../helpers/samplePets.ts';

beforeEach(emptyStore);

describe('a stored pet', () => {
  it.each(exactIntegers)(
    'has the same text in each operation, with the integer %s',
    async (integer) => {
      const created = await call(createPet, { body: petWithInteger(integer) });

      expect(created.text).toContain(String(integer));
      const read = await call(getPet, { petId: String(created.json.id) });
      expect(read.text).toBe(created.text);
      expect((await call(listPets)).text).toBe(`[${created.text}]`);
    },
  );

  it('has a shard of its status', async () => {
    const create = await loadHandler('createPet', { SHARDS: '4', WRITE_SHARDS: '3' });
    for (let n = 1; n <= 3; n += 1) await call(create, { body: { ...rex, status: 'sold' } });

    const shards = (await storedPets()).map(({ statusShard }) => statusShard).sort();
    expect(shards).toEqual(['sold#0', 'sold#1', 'sold#2']);
  });
});

describe('a damaged pet', () => {
  it.each<[string, string, Record<string, unknown>]>([
    ['a fractional id', 'id', { id: 1.5 }],
    ['a fractional category', 'categoryId', { categoryId: 1.5 }],
    ['a category beyond int64', 'categoryId', { categoryId: 2n ** 63n }],
    ['no category', 'categoryId', { categoryId: undefined }],
    ['a status of no pet', 'status', { status: 'lost' }],
    ['no status', 'status', { status: undefined }],
    ['a name of another type', 'name', { name: 7 }],
    ['no name', 'name', { name: undefined }],
  ])('with %s is a 500 for getPet and is left out by listPets', async (_case, field, damage) => {
    const log = captureLog();
    await storeItem({ ...storedPet(5n, damage), statusShard: 'sold#0' });

    const read = await call(getPet, { petId: '5' });
    const listed = await call(listPets);

    expect({ read: read.status, listed: listed.text }).toEqual({ read: 500, listed: '[]' });
    const cause = { message: `The stored pet PET#5 has no valid ${field}.` };
    expect(log.lines()).toMatchObject([
      { level: 'ERROR', code: 'request_failed', cause },
      { level: 'ERROR', code: 'item_damaged', pk: 'PET#5', cause },
    ]);
    expect(log.text()).not.toContain(apiKey);
  });

  it('is replaced by the next pet of the page', async () => {
    captureLog();
    for (const id of [1n, 2n, 3n]) await storeItem(storedPet(id, id === 2n ? { name: 7 } : {}));
    await call(listPets); // from here on the instance remembers the key
    const limits: unknown[] = [];
    interceptDatabase(({ input, pass }) => {
      limits.push(input.Limit);
      return pass();
    });

    const { json } = await call(listPets, { query: { limit: '2', status: rex.status } });

    expect(json.map(({ id }: { id: number }) => id)).toEqual([1, 3]);
    expect(limits).toEqual([2, 1]);
  });

  it.each([0n, -1n])('with the id %s is in no list', async (id) => {
    await storeItem(storedPet(id));

    expect((await call(listPets)).text).toBe('[]');
  });

  it('with another id than its key is a 500 if that id is none', async () => {
    captureLog();
    await storeItem({ ...storedPet(5n), id: -5n });

    expect((await call(getPet, { petId: '5' })).status).toBe(500);
  });
});
