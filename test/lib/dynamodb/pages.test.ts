import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeCursor, encodeCursor } from '../../../lib/dynamodb/pages.ts';
import { ApiError } from '../../../lib/errors.ts';
import { maxInt64 } from '../../../lib/int64.ts';
import { anyText } from '../../helpers/anyText.ts';

const id = fc.bigInt({ min: 1n, max: maxInt64 });
const list = fc.constantFrom(
  'v1-a pets byStatus sold',
  'v1-a pets byStatus pending',
  'v1-b pets byStatus sold',
);

describe('decodeCursor', () => {
  it('reads what encodeCursor wrote, which needs no escape in a URL', () => {
    fc.assert(
      fc.property(id, list, (lastId, place) => {
        const cursor = encodeCursor(lastId, place);

        expect(cursor).toMatch(/^[\w-]+$/);
        expect(decodeCursor(cursor, place)).toBe(lastId);
      }),
    );
  });

  it.each([
    // A fork renames neither this stage nor this table.
    ['AQAAAAAAAAABUbXfCKvp', 'local items byStatus available'],
    ['AQAAAAAAAAABZXoIbpfl', 'v1-a items byCollection items'],
  ])('reads %s, as every later release must', (cursor, place) => {
    expect(decodeCursor(cursor, place)).toBe(1n);
  });

  it('refuses a cursor of any other list', () => {
    fc.assert(
      fc.property(id, list, list, (lastId, place, other) => {
        fc.pre(place !== other);

        expect(() => decodeCursor(encodeCursor(lastId, place), other)).toThrow(ApiError);
      }),
    );
  });

  it.each([0n, -1n])('refuses the id %s, after which no list continues', (lastId) => {
    const place = 'v1-staging all';

    expect(() => decodeCursor(encodeCursor(lastId, place), place)).toThrow(ApiError);
  });

  it('refuses every other text', () => {
    const text = fc.oneof(anyText, fc.base64String(), fc.stringMatching(/^[\w-]{20}$/));
    fc.assert(
      fc.property(text, list, (cursor, place) => {
        expect(() => decodeCursor(cursor, place)).toThrow(ApiError);
      }),
    );
  });
});
