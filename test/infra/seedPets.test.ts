import { beforeEach, describe, expect, it } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { samplePet, seedPets } from '../../infra/local/seedPets.ts';
import { NewPet } from '../../lib/schemas.ts';
import { call } from '../helpers/api.ts';
import { emptyStore, interceptDatabase, storedPets } from '../helpers/database.ts';
import { minimalPet } from '../helpers/samplePets.ts';

const create = async () => call(createPet, { body: minimalPet });

const seed = (count: number) => Array.fromAsync(seedPets(count));

beforeEach(emptyStore);

describe('seedPets', () => {
  it('stores a pet like createPet', async () => {
    await call(createPet, { body: samplePet(2n) });
    await seed(1);

    const pets = await storedPets();
    const [created, seeded] = [1n, 2n].map((each) => pets.find(({ id }) => id === each));
    const token = expect.stringMatching(/^[\da-f-]{36}$/);
    expect(seeded).toEqual({ ...created, pk: 'PET#2', id: 2n, token });
  });

  it('adds pets from id 1, and pets that are created meanwhile or later get the ids above', async () => {
    interceptDatabase(async ({ action, pass }) => {
      if (action === 'BatchWriteItem' && (await storedPets()).length === 25) await create();
      return pass();
    });

    await seed(60);
    await create();

    const ids = (await storedPets()).map(({ id }) => Number(id));
    expect(new Set(ids)).toEqual(new Set(Array.from({ length: 62 }, (_, index) => index + 1)));
  });

  it('adds pets that createPet accepts', () => {
    const pets = Array.from({ length: 2000 }, (_, index) => samplePet(BigInt(index + 1)));

    expect(pets.filter((pet) => !NewPet.safeParse(pet).success)).toEqual([]);
  });
});
