import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeCursor, encodeCursor } from '../../../lib/dynamodb/pages.ts';
import { ApiError } from '../../../lib/errors.ts';
import { maxInt64 } from '../../../lib/int64.ts';
import { anyText } from '../../helpers/anyText.ts';

const position = fc.oneof(
  fc.record({
    type: fc.constant('N' as const),
    text: fc.bigInt({ min: 1n, max: maxInt64 }).map(String),
  }),
  fc.record({
    type: fc.constant('S' as const),
    text: fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  }),
);
const keyType = fc.constantFrom('N' as const, 'S' as const);
const list = fc.constantFrom('v1-production all', 'v1-production sold', 'v1-staging all');

describe('decodeCursor', () => {
  it('reads what encodeCursor wrote, which needs no escape in a URL', () => {
    fc.assert(
      fc.property(position, list, ({ type, text }, place) => {
        const cursor = encodeCursor(text, type, place);

        expect(cursor).toMatch(/^[\w-]+$/);
        expect(decodeCursor(cursor, type, place)).toBe(text);
      }),
    );
  });

  it.each([
    ['AQAAAAAAAAABG6jLRGOp', '1', 'local list available'],
    // This stage is not in infra/stages.ts, because a fork renames those stages.
    ['AQAAAAAAAAAB9yZC70iM', '1', 'v1-a list all'],
  ])('reads %s, as every later release must', (cursor, lastId, place) => {
    expect(decodeCursor(cursor, 'N', place)).toBe(lastId);
  });

  it('refuses a cursor of any other list', () => {
    fc.assert(
      fc.property(position, list, list, ({ type, text }, place, other) => {
        fc.pre(place !== other);

        expect(() => decodeCursor(encodeCursor(text, type, place), type, other)).toThrow(ApiError);
      }),
    );
  });

  it.each(['0', '-1'])('refuses the id %s, after which no list continues', (lastId) => {
    const place = 'v1-staging all';

    expect(() => decodeCursor(encodeCursor(lastId, 'N', place), 'N', place)).toThrow(ApiError);
  });

  it('refuses every other text', () => {
    const text = fc.oneof(anyText, fc.base64String(), fc.stringMatching(/^[\w-]{20}$/));
    fc.assert(
      fc.property(text, keyType, list, (cursor, type, place) => {
        expect(() => decodeCursor(cursor, type, place)).toThrow(ApiError);
      }),
    );
  });
});
