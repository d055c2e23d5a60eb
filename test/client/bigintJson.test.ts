import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseBigintJson, stringifyBigintJson } from '../../client/src/bigintJson.ts';

/** Texts that look like JSON inside a string. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('"', '\\', '\\"1', '7', ',8,'),
);

// JSON.parse of Node.js 24.21 may read the name `"` as `\` after it has read an object with that name.
const memberName = text.filter((name) => name !== '\\');

describe('parseBigintJson', () => {
  it('reads what stringifyBigintJson writes, with every digit and text', () => {
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.bigInt(),
        text,
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value')),
        fc.dictionary(memberName, tie('value'), { noNullPrototype: true }),
      ),
    }));

    fc.assert(
      fc.property(value, (written) => {
        expect(parseBigintJson(stringifyBigintJson(written))).toEqual(written);
      }),
    );
  });

  it('reads integers as bigint and other numbers as JSON.parse does', () => {
    expect(parseBigintJson('[0, -0, 9007199254740993, 1.5, -2e3, 1E+2, "3", true]')).toEqual([
      0n,
      0n,
      9007199254740993n,
      1.5,
      -2000,
      100,
      '3',
      true,
    ]);
  });

  it.each(['', '01', '1.', '-', '--1', '1-2', '+1', '1 2', '{1:2}', '["]', '0x10', '1n', '[1,]'])(
    'throws a SyntaxError for %j',
    (invalid) => {
      expect(() => parseBigintJson(invalid)).toThrow(SyntaxError);
    },
  );
});
