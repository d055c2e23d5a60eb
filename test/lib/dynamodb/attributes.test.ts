import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { attributeWriter, fromItem, itemWriter, toItem } from '../../../lib/dynamodb/attributes.ts';
import { maxInt64, minInt64 } from '../../../lib/int64.ts';

type Value = Parameters<typeof toItem>[0][string];

/** Each type of a field: values with their attribute and JSON text, and attributes that are damaged. */
const types: Record<
  string,
  {
    schema: z.ZodMiniType;
    valid: [value: Value, attribute: AttributeValue, json: string][];
    damaged: AttributeValue[];
  }
> = {
  int64: {
    schema: z.int64(),
    valid: [
      [0n, { N: '0' }, '0'],
      [minInt64, { N: '-9223372036854775808' }, '-9223372036854775808'],
      [maxInt64, { N: '9223372036854775807' }, '9223372036854775807'],
    ],
    damaged: [{ N: '1.5' }, { N: String(minInt64 - 1n) }, { N: String(maxInt64 + 1n) }, { S: '1' }],
  },
  text: {
    schema: z.string(),
    valid: [
      ['', { S: '' }, '""'],
      ['tést "\n', { S: 'tést "\n' }, '"tést \\"\\n"'],
    ],
    damaged: [{ N: '1' }, { NULL: true }],
  },
  enumeration: {
    schema: z.enum(['call', 'walk-in']),
    valid: [['walk-in', { S: 'walk-in' }, '"walk-in"']],
    damaged: [{ S: 'none' }, { S: '' }, { N: '1' }],
  },
  boolean: {
    schema: z.boolean(),
    valid: [
      [true, { BOOL: true }, 'true'],
      [false, { BOOL: false }, 'false'],
    ],
    damaged: [{ S: 'true' }, { N: '1' }],
  },
  'list of texts': {
    schema: z.array(z.string()),
    valid: [
      [['b', '', 'b'], { L: [{ S: 'b' }, { S: '' }, { S: 'b' }] }, '["b","","b"]'],
      [[], { L: [] }, '[]'],
    ],
    damaged: [{ S: 'a' }, { SS: ['a'] }, { L: [{ S: 'a' }, { N: '1' }] }],
  },
};

const rows = Object.entries(types).map(([type, row]) => ({ type, ...row }));
const rowsOfValues = rows.flatMap(({ valid, ...row }) =>
  valid.map(([value, attribute, json]) => ({ ...row, value, attribute, json })),
);

describe('a field', () => {
  it.each(rowsOfValues)('stores $type $json and reads it back', ({ schema, value, attribute }) => {
    const item = toItem({ field: value, absent: undefined });

    expect(item).toEqual({ field: attribute });
    expect(z.parse(schema, fromItem(item).field)).toEqual(value);
  });

  it.each(rowsOfValues)('is written as JSON: $type $json', ({ schema, attribute, json }) => {
    expect(attributeWriter(schema)(attribute)).toBe(json);
  });

  it.each(rows)('has no JSON if it is missing or no $type', ({ schema, damaged }) => {
    const texts = [undefined, ...damaged].map(attributeWriter(schema));

    expect(texts).toEqual(texts.map(() => undefined));
  });
});

describe('itemWriter', () => {
  const writeVisit = itemWriter(z.object({ id: z.int64(), note: z.optional(z.string()) }));

  it.each([
    [{ id: { N: '1' }, note: { S: 'late' }, token: { S: 'x' } }, '{"id":1,"note":"late"}'],
    [{ id: { N: '1' } }, '{"id":1}'],
  ])('writes the fields of the schema that %j has', (item, json) => {
    expect(writeVisit(item)).toBe(json);
  });

  it.each([
    [{ pk: { S: 'VISIT#1' } }, 'VISIT#1 has no valid id.'],
    [{ pk: { S: 'VISIT#1' }, id: { N: '1' }, note: { N: '7' } }, 'VISIT#1 has no valid note.'],
  ])('throws an error that names the missing or damaged field of %j', (item, message) => {
    expect(() => writeVisit(item)).toThrow(message);
  });

  it('refuses a schema with a field that it cannot write', () => {
    const Visit = z.object({ id: z.int64(), at: z.date() });

    expect(() => itemWriter(Visit)).toThrow('cannot write a field of the type date');
  });
});
