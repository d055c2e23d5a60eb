import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { parseExactJson, stringifyExactJson } from '../../lib/int64.ts';
import {
  type Operation,
  type OperationName,
  operationEntries,
  operations,
} from '../../lib/operations.ts';
import { apiKey, call } from '../helpers/api.ts';
import { captureLog } from '../helpers/captureLog.ts';
import { emptyTables, itemsWithId, storeItems } from '../helpers/database.ts';
import { creations, exampleRequest } from '../helpers/exampleRequests.ts';
import { functions } from '../helpers/gateway.ts';

// What holds for every resource in the table of operations, whatever its fields are.

beforeEach(emptyTables);

/** The operations that return what a creation adds: by its id, or in a list. */
const readersOf = (creation: OperationName) =>
  operationEntries.filter(
    ([, { method, path }]) =>
      method === 'GET' && path.replace(/\/\{\w+\}$/, '') === operations[creation].path,
  );

const fields = creations.flatMap((creation) => {
  const { output }: Operation = operations[creation];
  const { shape } = output as z.ZodMiniObject;
  return Object.entries(shape).map(([field, schema]) => ({ creation, field, schema, shape }));
});

/** A value of each type that an attribute can have, and integers that are no id or no int64. */
const values = [
  undefined,
  null,
  '',
  'lost',
  7n,
  0n,
  -1n,
  2n ** 63n,
  1.5,
  false,
  true,
  [],
  ['a', 7n],
  {},
];

/** Whether a schema accepts a stored value. A number without a fraction is a `bigint` there. */
const isValid = (schema: z.core.$ZodType, value: unknown) =>
  [value, ...(typeof value === 'bigint' ? [Number(value)] : [])].some(
    (each) => z.safeParse(schema, each).success,
  );

// The sort key of an index is a number, so no engine stores another id.
const canBeStored = (field: string, value: unknown) =>
  field !== 'id' || ['bigint', 'number', 'undefined'].includes(typeof value);

describe('a stored value', () => {
  it.each(fields)(
    'that $creation wrote to $field is returned, or a 500 and left out of lists if the schema refuses it',
    async ({ creation, field, schema, shape }) => {
      const log = captureLog();
      const created = await call(functions[creation], exampleRequest(creation));
      const [{ tableName, item } = expect.fail()] = await itemsWithId();
      for (const value of values.filter((each) => canBeStored(field, each))) {
        const { [field]: _, ...others } = item;
        await storeItems(
          [{ ...others, ...(value !== undefined && { [field]: value }) }],
          tableName,
        );
        const members = { ...Object(parseExactJson(created.text)), [field]: value };
        const expected = stringifyExactJson(
          Object.fromEntries(Object.keys(shape).map((name) => [name, members[name]])),
        );

        for (const [name, { output }] of readersOf(creation)) {
          const { status, text } = await call(functions[name], exampleRequest(name));

          const isList = output instanceof z.ZodMiniArray;
          const place = `${name}, ${field}: ${value}`;
          if (isValid(schema, value)) {
            expect(text, place).toBe(isList ? `[${expected}]` : expected);
          } else if (isList) {
            expect(text, place).toBe('[]');
          } else {
            expect(status, place).toBe(500);
            const message = expect.stringContaining(`${item.pk} has no valid ${field}.`);
            expect(log.lines().at(-1)).toMatchObject({
              code: 'request_failed',
              cause: { message },
            });
          }
        }
      }
      expect(log.text()).not.toContain(apiKey);
    },
  );
});

describe('a cursor', () => {
  const lists = operationEntries
    .filter(([, { access }]) => access.some(({ action }) => action === 'Query'))
    .map(([name]) => name);

  it('is valid for its own list only', async () => {
    for (const creation of [...creations, ...creations]) {
      await call(functions[creation], { ...exampleRequest(creation), headers: {} });
    }
    const accepted: string[][] = [];
    for (const list of lists) {
      const { headers } = await call(functions[list], { query: { limit: '1' } });
      const cursor = /cursor=([\w-]+)/.exec(headers.Link ?? '')?.[1] ?? expect.fail(list);
      for (const other of lists) {
        const { status } = await call(functions[other], { query: { cursor } });
        if (status === 200) accepted.push([list, other]);
      }
    }

    expect(accepted).toEqual(lists.map((list) => [list, list]));
  });
});
