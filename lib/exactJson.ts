import { int64FromJsonNumber } from './int64.ts';

declare global {
  interface JSON {
    /** Part of Node.js since version 22. TypeScript's library does not declare it yet. */
    rawJSON(text: string): unknown;
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
  return JSON.parse(text, function readNumber(_key, value: unknown, context?: { source: string }) {
    if (typeof value !== 'number' || context === undefined) return value;
    return int64FromJsonNumber(context.source) ?? value;
  });
}

/** Writes JSON text with all digits of each `bigint`. */
export function stringifyExactJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'bigint' ? JSON.rawJSON(String(member)) : member,
  );
}
