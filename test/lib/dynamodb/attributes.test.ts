import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { config } from '../../../lib/config.ts';
import {
  booleanJson,
  enumJson,
  fromItem,
  type Item,
  idJson,
  int64Json,
  numberJson,
  textJson,
  textsJson,
  toItem,
} from '../../../lib/dynamodb/attributes.ts';
import { dynamoDb } from '../../../lib/dynamodb/client.ts';
import { requestHandler } from '../../../lib/http/handler.ts';
import { parseExactJson } from '../../../lib/int64.ts';
import { numberFrom } from '../../../lib/schemas.ts';
import { restEvent } from '../../helpers/api.ts';

// A resource with a field of each type that a body can have, from the request to the database and back.

const error = 'must be valid';
const Visit = z.object({
  id: z.int64({ error }),
  reason: z.string({ error }),
  room: z.int64({ error }),
  weight: numberFrom(-1e9, 1e9),
  isUrgent: z.boolean({ error }),
  tags: z.array(z.string({ error }), { error }),
  kind: z.enum(['call', 'walk-in'], { error }),
});

const visit =
  '{"id":1,"reason":"tést \\"","room":-9223372036854775808,"weight":12.5,"isUrgent":false,"tags":["b","","b"],"kind":"call"}';

const writers = {
  id: idJson,
  reason: textJson,
  room: int64Json,
  weight: numberJson,
  isUrgent: booleanJson,
  tags: textsJson,
  kind: enumJson(Visit.shape.kind.options),
} satisfies Record<keyof typeof Visit.shape, unknown>;

const fields = Object.keys(writers) as (keyof typeof writers)[];
const TableName = config().tableNames.pets;

const addVisit = requestHandler('addVisit', { input: { body: Visit } }, async ({ input }) => {
  const { body } = input as { body: z.infer<typeof Visit> };
  const Key = toItem({ pk: `VISIT#${body.id}` });
  await dynamoDb().send(
    new PutItemCommand({ TableName, Item: { ...Key, ...toItem({ ...body, note: undefined }) } }),
  );
  const { Item = {} } = await dynamoDb().send(new GetItemCommand({ TableName, Key }));
  expect(Object.keys(Item).sort()).toEqual(['pk', ...fields].sort());
  return { statusCode: 201, headers: {}, body: jsonOf(Item) };
});

function jsonOf(item: Item): string {
  return `{${fields.map((field) => `"${field}":${writers[field](item[field])}`)}}`;
}

/** The visit with other JSON text for one of its fields. */
const visitWith = (field: string, text: string) =>
  visit.replace(new RegExp(`"${field}":(\\[.*?\\]|"(\\\\.|[^"])*"|[^,}]+)`), `"${field}":${text}`);

/** Calls the handler directly, because openapi.json has no visits. */
const add = (body: string) => addVisit(restEvent({ body }));

describe('a field of any JSON type', () => {
  it.each([
    visit,
    visitWith('weight', '7'),
    visitWith('weight', '0'),
    visitWith('weight', '-0.001'),
    visitWith('isUrgent', 'true'),
    visitWith('tags', '[]'),
    visitWith('reason', '""'),
  ])('is stored, and returned as it was sent: %s', async (body) => {
    expect(await add(body)).toMatchObject({ statusCode: 201, body });
  });

  it.each([
    ['weight', '"7"', 'weight must be a number from -1000000000 to 1000000000.'],
    ['weight', '1000000001', 'weight must be a number from -1000000000 to 1000000000.'],
    ['weight', '1e-200', 'weight must be a number from -1000000000 to 1000000000.'],
    ['weight', '1e999', 'weight must be a number from -1000000000 to 1000000000.'],
    ['isUrgent', '"true"', 'isUrgent must be valid.'],
    ['tags', '"a"', 'tags must be valid.'],
    ['tags', '["a",7,"b",null]', 'tags[1] must be valid; tags[3] must be valid.'],
  ])('names the place of a fault: %s %s', async (field, text, message) => {
    const { statusCode, body } = await add(visitWith(field, text));

    expect({ statusCode, message: JSON.parse(body).message }).toEqual({ statusCode: 400, message });
  });

  it('is the same value for a schema that reads the item', () => {
    const value = Visit.parse(parseExactJson(visit));

    expect(Visit.parse(fromItem(toItem(value)))).toEqual(value);
  });

  it('has no JSON if it is missing or damaged', () => {
    const damaged: Record<keyof typeof writers, Item[string][]> = {
      id: [{ N: '0' }, { N: '-1' }, { N: '1.5' }, { N: '9223372036854775808' }, { S: '1' }],
      reason: [{ N: '1' }, { NULL: true }],
      room: [{ N: '1.5' }, { N: '9223372036854775808' }, { S: '1' }],
      weight: [{ S: '1' }, { N: '1e400' }],
      isUrgent: [{ S: 'true' }, { N: '1' }],
      tags: [{ S: 'a' }, { SS: ['a'] }, { L: [{ S: 'a' }, { N: '1' }] }],
      kind: [{ S: 'none' }, { N: '1' }],
    };

    for (const field of fields) {
      const texts = [undefined, ...damaged[field]].map((value) => writers[field](value));
      expect(texts, field).toEqual(texts.map(() => undefined));
    }
  });
});
