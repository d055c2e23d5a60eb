import { describe, expect, it } from 'vitest';
import { numberInRange } from '../../lib/schemas.ts';

describe('numberInRange', () => {
  const schema = numberInRange(-1e9, 1e9);

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
