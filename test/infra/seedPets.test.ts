import { beforeEach, describe, expect, it } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { samplePet, seedPets } from '../../infra/local/seedPets.ts';
import { NewPet } from '../../lib/schemas.ts';
import { call } from '../helpers/api.ts';
import { emptyStore, interceptDatabase, storedPets } from '../helpers/database.ts';
import { minimalPet } from '../helpers/samplePets.ts';

const create = async () => call(createPet, { body: minimalPet });

const seed = (count: number) => Array.fromAsync(seedPets(count));

const storedIds = async () =>
  (await storedPets()).map(({ id }) => Number(id)).sort((a, b) => a - b);

beforeEach(emptyStore);

describe('seedPets', () => {
  it('adds pets from id 1, and the next create gets the id above', async () => {
    await seed(60);

    expect(await storedIds()).toEqual(Array.from({ length: 60 }, (_, index) => index + 1));
    expect((await create()).json.id).toBe(61);
  });

  it('stores a pet like createPet', async () => {
    await call(createPet, { body: samplePet(2n) });
    await seed(1);

    const pets = await storedPets();
    const [created, seeded] = [1n, 2n].map((each) => pets.find(({ id }) => id === each));
    const token = expect.stringMatching(/^[\da-f-]{36}$/);
    expect(seeded).toEqual({ ...created, pk: 'PET#2', id: 2n, token });
  });

  it('leaves the ids between free for pets that are created meanwhile', async () => {
    interceptDatabase(async ({ action, pass }) => {
      if (action === 'BatchWriteItem' && (await storedPets()).length === 25) await create();
      return pass();
    });

    await seed(60);

    expect(await storedIds()).toEqual(Array.from({ length: 61 }, (_, index) => index + 1));
  });
});

describe('samplePet', () => {
  it('returns pets that createPet accepts', () => {
    const pets = Array.from({ length: 2000 }, (_, index) => samplePet(BigInt(index + 1)));

    expect(pets.filter((pet) => !NewPet.safeParse(pet).success)).toEqual([]);
  });
});
