import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxInt64 } from '../../lib/int64.ts';
import { PetPath } from '../../lib/schemas.ts';
import { anyText } from '../helpers/anyText.ts';

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
