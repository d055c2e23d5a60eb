import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxInt64 } from '../../lib/int64.ts';
import { numberFrom, PetPath } from '../../lib/schemas.ts';
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

describe('numberFrom', () => {
  const schema = numberFrom(-1e9, 1e9);

  // The parser of a body makes each integer a `bigint`.
  it.each([
    [7n, 7],
    [0n, 0],
    [12.5, 12.5],
    [-0.001, -0.001],
  ])('reads %s as a number', (value, number) => {
    expect(schema.parse(value)).toBe(number);
  });

  it.each(['7', true, 1_000_000_001n, 1e-200, Number.POSITIVE_INFINITY, null])(
    'refuses %s, and says what is valid',
    (value) => {
      const { error } = schema.safeParse(value);

      expect(error?.issues.map(({ message }) => message)).toEqual([
        'must be a number from -1000000000 to 1000000000',
      ]);
    },
  );
});
