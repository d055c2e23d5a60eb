type NumberContext = { source?: string };

/** TypeScript's library does not declare this or a reviver's third argument yet. */
const exactJson = JSON as JSON & { rawJSON(text: string): unknown };

/** Throws in a runtime that would silently round an int64. */
export function assertExactJson(): void {
  let source: string | undefined;
  JSON.parse('1', (_key, _value, context?: NumberContext) => {
    source = context?.source;
  });
  if (source !== '1' || typeof exactJson.rawJSON !== 'function') {
    throw new Error(
      'This runtime cannot read int64 in JSON without rounding: use Node.js 22, Chrome 120, Firefox 135, Safari 18.4 or newer.',
    );
  }
}

/** Parses JSON text; an integer becomes a `bigint`, any other number stays a `number`. */
export function parseExactJson(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown, context?: NumberContext) => {
    const source = context?.source;
    return typeof value === 'number' && source && /^-?\d+$/.test(source) ? BigInt(source) : value;
  });
}

/** Writes JSON text with all digits of an integer. Throws a `TypeError` for an unsafe number. */
export function stringifyExactJson(value: unknown): string {
  return JSON.stringify(value, (name, member: unknown) =>
    typeof member === 'bigint' || typeof member === 'number'
      ? exactJson.rawJSON(exactDigits(name, member))
      : member,
  );
}

/** Returns the decimal digits of an integer. Throws a `TypeError` for a number that may be rounded. */
export function exactDigits(name: string, value: bigint | number): string {
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) return BigInt(value).toString();
  throw new TypeError(
    `${name} must be a bigint, or a number that is a safe integer: beyond 2^53 a number is rounded.`,
  );
}
