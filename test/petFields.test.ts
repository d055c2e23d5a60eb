import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { parseExactJson } from '../lib/int64.ts';
import { NewPet } from '../lib/schemas.ts';
import { keptValues, otherValues, refusedValues } from './contract/petResource.ts';
import { minimalPet, newRex, petText, pinnedPet } from './helpers/samplePets.ts';

// These tests name the places of a field that neither the compiler nor the contract suite names.
// CONTRIBUTING.md says how to add a field.

const fields = Object.keys(NewPet.shape) as (keyof NewPet)[];
const isRequired = (field: keyof NewPet) => !z.safeParse(NewPet.shape[field], undefined).success;

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
});

describe('test/helpers/samplePets.ts', () => {
  it('has valid pets, with the fields that it says', () => {
    expect(NewPet.parse(parseExactJson(petText()))).toEqual(newRex);
    expect(newRex).toMatchObject(NewPet.parse(parseExactJson(JSON.stringify(minimalPet))));
    expect(Object.keys(minimalPet)).toEqual(fields.filter(isRequired));
    expect(Object.keys(newRex)).toEqual(fields);
    expect(NewPet.parse(pinnedPet)).toEqual(pinnedPet);
  });
});
