import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { NewPet, Pet } from '../lib/schemas.ts';

// The places of a field that neither the compiler nor the contract suite names. CONTRIBUTING.md says how
// to add a field.

const fields = Object.keys(NewPet.shape) as (keyof NewPet)[];
const isOptional = (field: keyof NewPet) => NewPet.shape[field].safeParse(undefined).success;

describe('the fields of a pet', () => {
  it('have another value in the contract suite, which shows that each is kept and compared', () => {
    const source = readFileSync('test/contract/petResource.ts', 'utf8');
    const [otherValues = ''] = /^export const otherValues.+?^\];/ms.exec(source) ?? [];

    const missing = fields.filter((field) => !otherValues.includes(`{ ${field}: `));
    expect(missing, 'see otherValues in test/contract/petResource.ts').toEqual([]);
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
