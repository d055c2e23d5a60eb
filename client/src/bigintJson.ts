// JSON with source text, since Node.js 21, Chrome 114, Firefox 135 and Safari 18.4. TypeScript lacks it.
const { rawJSON } = JSON as JSON & { rawJSON?: (text: string) => unknown };

/** At most 19 digits, because the `BigInt` of a million digits takes seconds. */
const anyInt64 = /^-?\d{1,19}$/;

/** Throws if the runtime rounds numbers of JSON beyond 2^53. */
export function assertExactJson(): void {
  if (!rawJSON) {
    throw new Error(
      'This runtime lacks JSON.rawJSON, so int64 would be rounded. petstore-client needs Node.js 22.12, Chrome 121, Firefox 135 or Safari 18.4.',
    );
  }
}

/** Parses JSON text. Each integer is a `bigint`: those of the interface are int64, except the status of an error. */
export function parseBigintJson(text: string): unknown {
  return JSON.parse(text, (_, value: unknown, { source = '' }: { source?: string } = {}) =>
    anyInt64.test(source) ? BigInt(source) : value,
  );
}

/** Writes JSON text with all digits of each int64. Throws a `TypeError` for a number that may be rounded. */
export function stringifyBigintJson(value: unknown): string {
  return JSON.stringify(value, (name, member: unknown) =>
    typeof member === 'bigint' || (typeof member === 'number' && Number.isInteger(member))
      ? rawJSON?.(exactDigits(name, member))
      : member,
  );
}

/** Returns the decimal digits of an integer. Throws a `TypeError` for a number that may be rounded. */
export function exactDigits(name: string, value: unknown): string {
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) return `${value}`;
  throw new TypeError(
    `${name} must be a bigint, or a number that is a safe integer: beyond 2^53 a number is rounded.`,
  );
}
