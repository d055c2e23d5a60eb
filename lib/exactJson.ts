import { int64FromJsonNumber } from './int64.ts';

declare global {
  interface JSON {
    /** In V8 since Node.js 22; TypeScript's library does not declare it yet. */
    rawJSON(text: string): unknown;
  }
}

/**
 * Parses JSON text without losing a digit.
 *
 * A number whose value is an int64 becomes a `bigint`; every other number (fractional, or out of
 * range) stays a `number`, so that a schema of `bigint` refuses it.
 * Throws a `SyntaxError` on malformed text, and a `RangeError` on text nested too deeply.
 */
export function parseExactJson(text: string): unknown {
  return JSON.parse(text, function readNumber(_key, value: unknown, context?: { source: string }) {
    if (typeof value !== 'number' || context === undefined) return value;
    return int64FromJsonNumber(context.source) ?? value;
  });
}

/** Writes JSON text in which each `bigint` keeps all of its digits. */
export function stringifyExactJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'bigint' ? JSON.rawJSON(String(member)) : member,
  );
}
