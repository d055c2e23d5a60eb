import { beforeEach, describe, expect, it } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { handler as listPets } from '../../functions/listPets.ts';
import { samplePet, seedPets } from '../../infra/local/seedPets.ts';
import { NewPet, type Pet } from '../../lib/schemas.ts';
import { call } from '../helpers/api.ts';
import { emptyStore, interceptDatabase, storedPets } from '../helpers/database.ts';
import { minimalPet } from '../helpers/samplePets.ts';

const create = async () => call(createPet, { body: minimalPet });

const seed = (count: number) => Array.fromAsync(seedPets(count));

async function listAll(): Promise<Pet[]> {
  const pets: Pet[] = [];
  const query: Record<string, string> = { limit: '100' };
  for (;;) {
    const { json, headers } = await call(listPets, { query });
    pets.push(...json);
    const cursor = /cursor=([\w-]+)/.exec(headers.Link ?? '')?.[1];
    if (cursor === undefined) return pets;
    query.cursor = cursor;
  }
}

beforeEach(emptyStore);

describe('seedPets', () => {
  it('adds pets that lists contain from id 1, and the next create gets the id above', async () => {
    await seed(260);

    const ids = (await listAll()).map(({ id }) => Number(id));
    expect(ids).toEqual(Array.from({ length: 260 }, (_, index) => index + 1));
    expect((await create()).json.id).toBe(261);
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

    const ids = (await listAll()).map(({ id }) => Number(id));
    expect(ids).toEqual(Array.from({ length: 61 }, (_, index) => index + 1));
  });
});

describe('samplePet', () => {
  it('returns pets that createPet accepts', () => {
    const pets = Array.from({ length: 2000 }, (_, index) => samplePet(BigInt(index + 1)));

    expect(pets.filter((pet) => !NewPet.safeParse(pet).success)).toEqual([]);
  });
});
