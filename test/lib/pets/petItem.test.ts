import { beforeEach, describe, expect, it } from 'vitest';
import { handler as getPet } from '../../../functions/getPet.ts';
import { handler as listPets } from '../../../functions/listPets.ts';
import { call } from '../../helpers/api.ts';
import { captureLog } from '../../helpers/captureLog.ts';
import { emptyStore, interceptDatabase, storeItem } from '../../helpers/database.ts';
import { minimalPet, rexFilter, storedPet } from '../../helpers/samplePets.ts';

beforeEach(emptyStore);

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
    const cause = { message: `PET#2 has no valid ${field}.` };
    expect(log.lines()).toMatchObject([
      { level: 'ERROR', code: 'item_damaged', table: 'pets', pk: 'PET#2', cause },
    ]);
  });

  it('makes getPet respond 500, because 404 would be wrong', async () => {
    const log = captureLog();
    await storeItem(storedPet(1n, { name: undefined }));

    const { status } = await call(getPet, { petId: '1' });

    expect(status).toBe(500);
    const cause = { message: 'PET#1 has no valid name.' };
    expect(log.lines().at(-1)).toMatchObject({ code: 'request_failed', cause });
  });
});
