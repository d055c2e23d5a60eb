import { beforeEach, describe, expect, it } from 'vitest';
import type * as z from 'zod/mini';
import { handler as getPet } from '../../../functions/getPet.ts';
import { handler as listPets } from '../../../functions/listPets.ts';
import { toItem } from '../../../lib/dynamodb/attributes.ts';
import { Pet } from '../../../lib/schemas.ts';
import { apiKey, call, loadHandler } from '../../helpers/api.ts';
import { captureLog } from '../../helpers/captureLog.ts';
import { emptyStore, interceptDatabase, storedPets, storeItem } from '../../helpers/database.ts';
import { rex, storedPet, textOfItem } from '../../helpers/samplePets.ts';

beforeEach(emptyStore);

describe('a stored pet', () => {
  it('has a shard of its status', async () => {
    const create = await loadHandler('createPet', { SHARDS: '4', WRITE_SHARDS: '3' });
    for (let n = 1; n <= 3; n += 1) await call(create, { body: { ...rex, status: 'sold' } });

    const shards = (await storedPets()).map(({ statusShard }) => statusShard).sort();
    expect(shards).toEqual(['sold#0', 'sold#1', 'sold#2']);
  });
});

/** A value of each type that an attribute can have, and integers that are no id or no int64. */
const values = [
  undefined,
  null,
  '',
  'lost',
  7n,
  0n,
  -1n,
  2n ** 63n,
  1.5,
  false,
  true,
  [],
  ['a', 7n],
  {},
];

/** Whether a schema accepts a stored value. A number without a fraction is a `bigint` there. */
const isValid = (schema: z.ZodMiniType, value: unknown) =>
  [value, ...(typeof value === 'bigint' ? [Number(value)] : [])].some(
    (each) => schema.safeParse(each).success,
  );

// The sort key of the index is a number, so no engine stores another id.
const canBeStored = (field: string, value: unknown) =>
  field !== 'id' || ['bigint', 'number', 'undefined'].includes(typeof value);

describe('a stored value', () => {
  it.each(Object.entries(Pet.shape))(
    'of %s is returned, or a 500 of getPet and left out by listPets if the schema of Pet refuses it',
    async (field, schema) => {
      const log = captureLog();
      for (const value of values.filter((each) => canBeStored(field, each))) {
        const pet = storedPet(5n, { [field]: value });
        await storeItem({ ...pet, statusShard: 'sold#0' });

        const read = await call(getPet, { petId: '5' });

        if (isValid(schema, value)) {
          expect(read.text, String(value)).toBe(textOfItem(toItem(pet)));
          continue;
        }
        expect(read.status, String(value)).toBe(500);
        expect(log.lines().at(-1)).toMatchObject({
          code: 'request_failed',
          cause: { message: `The stored pet PET#5 has no valid ${field}.` },
        });
        expect((await call(listPets)).text, String(value)).toBe('[]');
      }
      expect(log.text()).not.toContain(apiKey);
    },
  );
});

describe('a damaged pet', () => {
  it('is logged, and replaced by the next pet of the page', async () => {
    const log = captureLog();
    await call(listPets); // from here on the instance remembers the key
    for (const id of [1n, 2n, 3n]) await storeItem(storedPet(id, id === 2n ? { name: 7 } : {}));
    const limits: unknown[] = [];
    interceptDatabase(({ input, pass }) => {
      limits.push(input.Limit);
      return pass();
    });

    const { json } = await call(listPets, { query: { limit: '2', status: rex.status } });

    expect(json.map(({ id }: { id: number }) => id)).toEqual([1, 3]);
    expect(limits).toEqual([2, 1]);
    const cause = { message: 'The stored pet PET#2 has no valid name.' };
    expect(log.lines()).toMatchObject([
      { level: 'ERROR', code: 'item_damaged', table: 'pets', pk: 'PET#2', cause },
    ]);
  });
});
