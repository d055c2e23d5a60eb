import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { handler as getPet } from '../functions/getPet.ts';
import { handler as listPets } from '../functions/listPets.ts';
import { NewPet, Pet } from '../lib/schemas.ts';
import { call } from './helpers/api.ts';
import { createWithKey, newKey } from './helpers/createWithKey.ts';
import { emptyStore, storeItem } from './helpers/database.ts';

/** Two valid values of each field. */
const values: Record<keyof NewPet, [unknown, unknown]> = {
  name: ['Rex', 'Max'],
  categoryId: [7, 8],
  status: ['pending', 'sold'],
};

const fields = Object.keys(NewPet.shape) as (keyof NewPet)[];
const newPet = Object.fromEntries(fields.map((field) => [field, values[field][0]]));
const isOptional = (field: keyof NewPet) => NewPet.shape[field].safeParse(undefined).success;
const requiredOnly = Object.fromEntries(
  Object.entries(newPet).filter(([field]) => !isOptional(field as keyof NewPet)),
);

/** Adds a pet. Returns it as each operation shows it. */
async function addAndRead(body: object) {
  const { json: created } = await createWithKey(newKey(), body);
  const { json: read } = await call(getPet, { petId: `${created.id}` });
  const { json: listed } = await call(listPets, { query: { status: created.status } });
  return { created, read, listed: listed[0] };
}

beforeEach(emptyStore);

/** CONTRIBUTING.md says how to add a field. Each message names the place that lacks it. */
describe.each(fields)('the field %s of a pet', (field) => {
  it('is kept by every operation', async () => {
    const { created, read, listed } = await addAndRead(newPet);

    const [value] = values[field];
    const shows = `shows the ${field} that was sent`;
    expect(created[field], `createPet ${shows}: see Pet in lib/schemas.ts`).toEqual(value);
    expect(read[field], `getPet ${shows}: see Pet in lib/schemas.ts`).toEqual(value);
    expect(listed[field], `listPets ${shows}: see lib/pets/petItem.ts`).toEqual(value);
  });

  it('makes another body for the same Idempotency-Key', async () => {
    const key = newKey();
    await createWithKey(key, newPet);

    const { status } = await createWithKey(key, { ...newPet, [field]: values[field][1] });

    expect(status, 'see fingerprintOf in lib/pets/idempotency.ts').toBe(422);
  });

  it.each([
    ['test/contract/universalRules.ts', /^function expectPets.+?^}/ms, 'to expectPets'],
    ['test/contrac./petResource.ts', /^const sold = .+?^}/ms, 'to each sample pet'],
  ])('is part of the contract: %s', (file, part, place) => {
    const [text = ''] = part.exec(readFileSync(file, 'utf8')) ?? [];

    expect(text, `add ${field} ${place} in ${file}`).toMatch(new RegExp(`\\b${field}\\b`));
  });
});

describe('a pet', () => {
  it('without optional fields is the same in every operation', async () => {
    const { created, read, listed } = await addAndRead(requiredOnly);

    expect(read).toEqual(created);
    expect(listed).toEqual(created);
  });

  it('that an earlier release stored is still returned', async () => {
    const pet = { id: 1n, name: 'Rex', categoryId: 7n, status: 'sold' };
    await storeItem({ ...pet, pk: 'PET#1', statusShard: 'sold#0', token: 'earlier' });

    const { status, json } = await call(getPet, { petId: '1' });
    const { json: listed } = await call(listPets);

    expect(status, 'see Pet in lib/schemas.ts: a later field is optional').toBe(200);
    expect(listed, 'see petJson in lib/pets/petItem.ts').toEqual([json]);
  });

  it('has its fields in docs/reference.md', () => {
    const [table = ''] =
      /^### Pet\n.+?^[^|\n]/ms.exec(readFileSync('docs/reference.md', 'utf8')) ?? [];
    const rows = [...table.matchAll(/^\| `(\w+)` \|[^|]+\| (\w+) \|/gm)];

    expect(
      rows.map(([, field, inRequests]) => [field, inRequests]),
      'see the table of Pet in docs/reference.md',
    ).toEqual(
      Object.keys(Pet.shape).map((field) => {
        if (!(field in NewPet.shape)) return [field, 'ignored'];
        return [field, isOptional(field as keyof NewPet) ? 'optional' : 'required'];
      }),
    );
  });
});
