import { describe, expect, it } from 'vitest';
import { handler as getPet } from '../../functions/getPet.ts';
import { call } from '../helpers/api.ts';
import { emptyTables, interceptDatabase, storeItem } from '../helpers/database.ts';
import { storedPet } from '../helpers/samplePets.ts';

describe('getPet', () => {
  it('makes one strongly consistent read', async () => {
    await emptyTables();
    await storeItem(storedPet(1n));
    await call(getPet, { pathParameters: { petId: '1' } }); // from here on the instance remembers the key
    const reads: unknown[] = [];
    interceptDatabase(({ input, pass }) => {
      reads.push(input);
      return pass();
    });

    await call(getPet, { pathParameters: { petId: '1' } });

    expect(reads).toMatchObject([{ Key: { pk: { S: 'PET#1' } }, ConsistentRead: true }]);
  });
});
