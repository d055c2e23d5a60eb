import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { handler as createPet } from '../functions/createPet.ts';
import { handler as getPet } from '../functions/getPet.ts';
import { handler as listPets } from '../functions/listPets.ts';
import { NewPet, Pet } from '../lib/schemas.ts';
import { call } from './helpers/api.ts';
import { emptyStore } from './helpers/database.ts';
import { max, minimalPet, newKey, rex } from './helpers/samplePets.ts';

const fields = Object.keys(NewPet.shape) as (keyof NewPet)[];
const isOptional = (field: keyof NewPet) => NewPet.shape[field].safeParse(undefined).success;

/** Returns a value of a field that differs from that of `rex`. */
function otherValueOf(field: keyof NewPet): unknown {
  expect(Object.keys(max), `add ${field} to test/helpers/samplePets.ts`).toContain(field);
  return Object(max)[field];
}

/** Adds a pet. Returns it as each operation shows it. */
async function addAndRead(body: object) {
  const { json: created } = await call(createPet, { body });
  const { json: read } = await call(getPet, { petId: `${created.id}` });
  const { json: listed } = await call(listPets, { query: { status: created.status } });
  return { created, read, listed: listed[0] };
}

beforeEach(emptyStore);

// CONTRIBUTING.md says how to add a field. Each message names a place that lacks it, and that the
// compiler does not name.

describe.each(fields)('the field %s of a pet', (field) => {
  it('is kept by every operation', async () => {
    const value = otherValueOf(field);
    const { created, read, listed } = await addAndRead(max);

    const message = `shows the ${field} that was sent: see Pet in lib/schemas.ts and petJson in lib/pets/petItem.ts`;
    expect(created[field], `createPet ${message}`).toEqual(value);
    expect(read[field], `getPet ${message}`).toEqual(value);
    expect(listed[field], `listPets ${message}`).toEqual(value);
  });

  it('makes another body for the same Idempotency-Key', async () => {
    const body = { ...rex, [field]: otherValueOf(field) };
    const idempotencyKey = newKey();
    await call(createPet, { idempotencyKey, body: rex });

    const { status } = await call(createPet, { idempotencyKey, body });

    expect(status, 'see fingerprintOf in lib/pets/idempotency.ts').toBe(422);
  });
});

describe('a pet', () => {
  it('without optional fields is the same in every operation', async () => {
    const { created, read, listed } = await addAndRead(minimalPet);

    expect(read).toEqual(created);
    expect(listed).toEqual(created);
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
