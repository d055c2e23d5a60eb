import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { NewPet, Pet } from '../lib/schemas.ts';
import { keptValues, otherValues, refusedValues } from './contract/petResource.ts';
import { membersByVersion } from './helpers/samplePets.ts';

// The places of a field that neither the compiler nor the contract suite names. CONTRIBUTING.md says how
// to add a field.

const fields = Object.keys(NewPet.shape) as (keyof NewPet)[];
const isOptional = (field: keyof NewPet) => NewPet.shape[field].safeParse(undefined).success;

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

  it('are those of the version of the interface', () => {
    const { info } = JSON.parse(readFileSync('openapi.json', 'utf8'));
    const added = Object.values(membersByVersion).flat();

    expect(
      { members: added.sort(), version: Object.keys(membersByVersion).at(-1) },
      'raise interfaceVersion in infra/openapi/openApiDocument.ts, and add it to membersByVersion in test/helpers/samplePets.ts',
    ).toEqual({ members: Object.keys(Pet.shape).sort(), version: info.version });
  });

  it('have a row in docs/reference.md', () => {
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
