declare global {
  interface JSON {
    // TypeScript's library does not declare these yet. Only a primitive value has a `source`.
    rawJSON(text: string): unknown;
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { source: string }) => unknown,
    ): unknown;
  }
}

export const minInt64 = -(2n ** 63n);
export const maxInt64 = 2n ** 63n - 1n;

/** 2^63 has 19 decimal digits, so a longer value cannot be an int64. */
const maxInt64Digits = 19;

/** Returns whether a number as DynamoDB writes it, without an exponent, is an int64. */
export function isInt64Text(text: string | undefined): text is string {
  if (text === undefined || !/^(0|-?[1-9]\d{0,18})$/.test(text)) return false;
  // Every number of up to 18 digits is in range.
  return text.length < maxInt64Digits || (minInt64 <= BigInt(text) && BigInt(text) <= maxInt64);
}

/**
 * Reads the source text of a JSON number as an int64, or `undefined` if it is none.
 *
 * The digits decide, not the rounded double: `1.0` and `1e2` are integers, `9007199254740993.5` is
 * not. The run time is linear in the length of the text, for any exponent.
 */
export function int64FromJsonNumber(source: string): bigint | undefined {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source);
  if (!match) return undefined;
  const [, sign, whole, fraction = '', exponent = '0'] = match;

  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  if (digits === '') return 0n;

  // A loop: `/0+$/` takes quadratic time on a long run of zeros in the middle.
  let significantDigits = digits.length;
  while (digits[significantDigits - 1] === '0') significantDigits -= 1;

  const trailingZeros = digits.length - significantDigits + Number(exponent) - fraction.length;
  if (trailingZeros < 0 || significantDigits + trailingZeros > maxInt64Digits) return undefined;

  const value = BigInt(`${sign}${digits.slice(0, significantDigits)}${'0'.repeat(trailingZeros)}`);
  return minInt64 <= value && value <= maxInt64 ? value : undefined;
}

/**
 * Parses JSON text without losing a digit: a number whose value is an int64 becomes a `bigint`.
 *
 * Throws a `SyntaxError` for malformed text, and a `RangeError` for text that is nested too deeply.
 */
export function parseExactJson(text: string): unknown {
  return JSON.parse(text, (_key, value, { source }) =>
    typeof value === 'number' ? (int64FromJsonNumber(source) ?? value) : value,
  );
}

/** Writes JSON text with all digits of each `bigint`. */
export function stringifyExactJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'bigint' ? JSON.rawJSON(String(member)) : member,
  );
}
