import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxInt64, minInt64 } from '../../lib/int64.ts';
import { ListPetsQuery, NewPet, PetPath, petStatuses } from '../../lib/schemas.ts';
import { anyText } from '../helpers/anyText.ts';
import { newRex } from '../helpers/samplePets.ts';

const name = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
  .filter((text) => text.trim() !== '' && [...text].length <= 255);
const categoryId = fc.bigInt({ min: minInt64, max: maxInt64 });
const status = fc.constantFrom(...petStatuses);

describe('NewPet', () => {
  it('keeps every valid pet as it is', () => {
    fc.assert(
      fc.property(fc.record({ name, categoryId, status }), (pet) => {
        expect(NewPet.parse(pet)).toEqual(pet);
      }),
    );
  });

  it('counts a name in code points', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 300 }),
        fc.constantFrom('x', 'é', '犬', '🐕'),
        (n, unit) => {
          const { success } = NewPet.safeParse({ ...newRex, name: unit.repeat(n) });

          expect(success).toBe(n <= 255);
        },
      ),
    );
  });

  it('refuses every name with a lone surrogate', () => {
    const lone = fc.integer({ min: 0xd800, max: 0xdfff }).map((unit) => String.fromCharCode(unit));
    fc.assert(
      fc.property(name, lone, (text, surrogate) => {
        const pet = { ...newRex, name: `${text}${surrogate}x` };

        expect(NewPet.safeParse(pet).success).toBe(false);
      }),
    );
  });

  it('refuses every other value with a message for each field, and never throws', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        const { success, error } = NewPet.safeParse(value);

        expect(success || (error?.issues.length ?? 0) > 0).toBe(true);
      }),
    );
  });
});

describe('ListPetsQuery', () => {
  it('takes exactly the limits from 1 to 100', () => {
    fc.assert(
      fc.property(fc.integer({ min: -10, max: 200 }), (limit) => {
        const { success, data } = ListPetsQuery.safeParse({ limit: String(limit) });

        expect(success).toBe(limit >= 1 && limit <= 100);
        if (success) expect(data?.limit).toBe(limit);
      }),
    );
  });

  it('refuses every other text as a limit', () => {
    const noDigits = anyText.filter((text) => !/^\d+$/.test(text));
    fc.assert(fc.property(noDigits, (limit) => !ListPetsQuery.safeParse({ limit }).success));
  });
});

describe('PetPath', () => {
  it('reads every positive int64 in canonical digits', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: maxInt64 }), (id) => {
        expect(PetPath.parse({ petId: String(id) })).toEqual({ petId: id });
      }),
      { examples: [[1n], [maxInt64]] },
    );
  });

  it('refuses every other text', () => {
    const other = fc
      .oneof(anyText, fc.bigInt({ min: maxInt64 + 1n }).map(String))
      .filter((text) => !/^[1-9]\d{0,17}$/.test(text));
    fc.assert(fc.property(other, (petId) => !PetPath.safeParse({ petId }).success));
  });
});
