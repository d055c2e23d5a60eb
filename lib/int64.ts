export const minInt64 = -(2n ** 63n);
export const maxInt64 = 2n ** 63n - 1n;

/** 2^63 has 19 decimal digits, so a longer value cannot be an int64. */
const maxInt64Digits = 19;

/** Tells whether a number in DynamoDB's own spelling, which has no exponent, is an int64. */
export function isInt64Text(text: string | undefined): text is string {
  if (text === undefined || !/^(0|-?[1-9]\d{0,18})$/.test(text)) return false;
  // All of up to 18 digits are in range, and nearly every number has fewer.
  return text.length < maxInt64Digits || (minInt64 <= BigInt(text) && BigInt(text) <= maxInt64);
}

/**
 * Reads the source text of a JSON number as an int64.
 *
 * `1.0` and `1e2` are integers, `9007199254740993.5` is not: the digits decide, never the rounded
 * double. Returns `undefined` where the value is fractional or outside int64; the work is linear in
 * the length of the text, whatever its exponent.
 */
export function int64FromJsonNumber(source: string): bigint | undefined {
  // As nearly every integer is written, and in int64 whatever its digits are.
  if (/^-?\d{1,18}$/.test(source)) return BigInt(source);

  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source);
  if (!match) return undefined;
  const [, sign, whole, fraction = '', exponent = '0'] = match;

  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  if (digits === '') return 0n;

  // A loop, because `/0+$/` takes quadratic time on a long run of zeros in the middle.
  let significantDigits = digits.length;
  while (digits[significantDigits - 1] === '0') significantDigits -= 1;

  const trailingZeros = digits.length - significantDigits + Number(exponent) - fraction.length;
  if (trailingZeros < 0 || significantDigits + trailingZeros > maxInt64Digits) return undefined;

  const value = BigInt(`${sign}${digits.slice(0, significantDigits)}${'0'.repeat(trailingZeros)}`);
  return minInt64 <= value && value <= maxInt64 ? value : undefined;
}
