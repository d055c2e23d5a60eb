import { isDeepStrictEqual } from 'node:util';
import { stringifyExactJson } from '../../../lib/exactJson.ts';
import type { Answer } from './Answer.ts';
import { CheckFailure } from './Check.ts';

/** Enough of a body to recognise it by. */
const maxShownCharacters = 300;

export function expectStatus(answer: Answer, status: number): void {
  expectThat(answer, answer.status === status, `the status ${status}`, answer.text);
}

/** `null` expects that the header is absent. */
export function expectHeader(
  answer: Answer,
  name: string,
  expected: string | RegExp | null,
  value = answer.headers.get(name),
): void {
  const isMet = expected instanceof RegExp ? expected.test(value ?? '') : value === expected;
  const expectedText = expected === null ? `no header ${name}` : `the header ${name}: ${expected}`;
  expectThat(answer, isMet, expectedText, value ?? undefined);
}

/** An error that is told apart by its status and code, and whose message names what is at fault. */
export function expectError(
  answer: Answer,
  status: number,
  code: string,
  messageParts: RegExp[] = [],
): void {
  expectStatus(answer, status);
  const body = answer.json as { code?: unknown; message?: unknown } | null | undefined;
  expectEqual(answer, 'the code', body?.code, code);
  for (const part of messageParts) {
    const isMet = part.test(String(body?.message));
    expectThat(answer, isMet, `a message with ${part}`, body?.message);
  }
}

/** The pets of a list, or whatever stands in their place. */
export function expectList(answer: Answer): Record<string, unknown>[] {
  expectStatus(answer, 200);
  expectThat(answer, Array.isArray(answer.json), 'an array', answer.text);
  return answer.json as Record<string, unknown>[];
}

/** Equal to the last digit and member; `what` names it to people. */
export function expectEqual(answer: Answer, what: string, value: unknown, expected: unknown): void {
  const isMet = isDeepStrictEqual(value, expected);
  expectThat(answer, isMet, `${what} ${shown(expected)}`, value);
}

/** For what is neither a status nor a header nor a value to be equal to. */
export function expectThat(answer: Answer, isMet: boolean, expected: string, got: unknown): void {
  if (!isMet) throw new CheckFailure({ expected, got: shown(got), answer });
}

/** A value for a terminal: without characters that a terminal acts upon, and of bounded length. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = typeof value === 'string' ? value : stringifyExactJson(value);
  const printable = text.replaceAll(
    /\p{C}/gu,
    (character) => String.raw`\u{${character.codePointAt(0)?.toString(16)}}`,
  );
  const isLong = printable.length > maxShownCharacters;
  return isLong ? `${printable.slice(0, maxShownCharacters)}…` : printable;
}
