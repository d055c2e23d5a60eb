import { int64FromJsonNumber } from './int64.ts';

declare global {
  interface JSON {
    // Both are part of Node.js since version 22. TypeScript's library does not declare them yet.
    rawJSON(text: string): unknown;
    /** Only a primitive value has a `source`. */
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { source: string }) => unknown,
    ): unknown;
  }
}

/**
 * Parses JSON text without losing a digit.
 *
 * A number whose value is an int64 becomes a `bigint`. Every other number (fractional, or out of
 * range) stays a `number`, so that a schema of `bigint` refuses it.
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
