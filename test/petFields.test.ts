import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { NewPet, Pet } from '../lib/schemas.ts';
import { keptValues, otherValues, refusedValues } from './contract/petResource.ts';
import { membersByVersion } from './helpers/samplePets.ts';

// The places of a field that neither the compiler nor the contract suite names. CONTRIBUTING.md says how
// to add a field.

const fields = Object.keys(NewPet.shape) as (keyof NewPet)[];

describe('the fields of a pet', () => {
  it.each([
    ['otherValues', otherValues.map(([, change]) => change)],
    ['keptValues', keptValues.map(([, change]) => change)],
    ['refusedValues', refusedValues.map(([, change]) => change)],
  ])('are in %s of the contract suite', (list, changes) => {
    const named = new Set(changes.flatMap(Object.keys));

    const missing = fields.filter((field) => !named.has(field));
    expect(missing, `see ${list} in test/contract/petResource.ts`).toEqual([]);
  });

  it('are those that the versions of the interface added', () => {
    const { info } = JSON.parse(readFileSync('openapi.json', 'utf8'));
    const added = Object.values(membersByVersion).flat();
    const newest = Object.keys(membersByVersion).at(-1) ?? '';

    expect(added.sort(), 'see membersByVersion in test/helpers/samplePets.ts').toEqual(
      Object.keys(Pet.shape).sort(),
    );
    const isRaised = info.version.localeCompare(newest, 'en', { numeric: true }) >= 0;
    expect(
      isRaised,
      `raise interfaceVersion in infra/openapi/openApiDocument.ts to ${newest}`,
    ).toBe(true);
  });
});
