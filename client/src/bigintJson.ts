/** Strings and numbers of JSON text. Strings are matched so that digits inside them are skipped. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[-\d][\w.+-]*/g;

const integer = /^-?(?:0|[1-9]\d*)$/;

/**
 * Parses JSON text; an integer becomes a `bigint`, any other number stays a `number`.
 *
 * `JSON.parse` rounds beyond 2^53, and older runtimes give its reviver no source text. It therefore
 * reads each number as an index into the list of numbers.
 */
export function parseBigintJson(text: string): unknown {
  const numbers: string[] = [];
  const indexed = replaceNumbers(text, (digits) => String(numbers.push(digits) - 1));
  return JSON.parse(indexed, (_name, member: unknown) =>
    typeof member === 'number' ? parseNumber(numbers[member] ?? '') : member,
  );
}

/** Writes JSON text with all digits of an integer. Throws a `TypeError` for an unsafe number. */
export function stringifyBigintJson(value: unknown): string {
  const numbers: string[] = [];
  const indexed = JSON.stringify(value, (name, member: unknown) =>
    typeof member === 'bigint' || typeof member === 'number'
      ? numbers.push(exactDigits(name, member)) - 1
      : member,
  );
  return replaceNumbers(indexed, (index) => numbers[Number(index)] ?? '');
}

/** Returns the decimal digits of an integer. Throws a `TypeError` for a number that may be rounded. */
export function exactDigits(name: string, value: bigint | number): string {
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) return BigInt(value).toString();
  throw new TypeError(
    `${name} must be a bigint, or a number that is a safe integer: beyond 2^53 a number is rounded.`,
  );
}

function replaceNumbers(text: string, replace: (number: string) => string): string {
  return text.replace(tokens, (token) => (token.startsWith('"') ? token : replace(token)));
}

/** `JSON.parse` throws for text that is not a number in JSON. */
function parseNumber(text: string): unknown {
  return integer.test(text) ? BigInt(text) : JSON.parse(text);
}
