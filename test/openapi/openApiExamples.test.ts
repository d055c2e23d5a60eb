import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type Operation, type OperationName, operationEntries } from '../../lib/operations.ts';
import { call } from '../helpers/api.ts';
import { emptyTables } from '../helpers/database.ts';
import { exampleRequest, preparationsOf, sendExample } from '../helpers/exampleRequests.ts';
import { functions } from '../helpers/gateway.ts';

const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8'));

/** The example of a response of an operation, and `undefined` for 204. */
const exampleOf = ({ method, path, successStatus }: Operation, status: number = successStatus) =>
  paths[path][method.toLowerCase()].responses[status].content?.['application/json'].example;

/** Adds the items of a list's example, except for the first, which the example of the creation adds. */
async function addOthers(name: OperationName, row: Operation): Promise<void> {
  const creation = preparationsOf(name).at(-1);
  const items = exampleOf(row);
  if (!creation || !Array.isArray(items)) return;
  const { pathParameters = {} } = exampleRequest(creation);
  for (const body of items.slice(1)) await call(functions[creation], { pathParameters, body });
}

it.each(operationEntries)(
  'the example of %s is the real response to its request',
  async (name, row) => {
    await emptyTables();
    for (const each of preparationsOf(name)) await sendExample(each);
    await addOthers(name, row);

    const { status, json } = await sendExample(name);

    expect(status).toBe(row.successStatus);
    expect(json || undefined).toEqual(exampleOf(row));
  },
);

it.each(operationEntries.filter(([, { input }]) => input.path))(
  'the example of a 404 of %s is the real response to an unknown id',
  async (name, row) => {
    await emptyTables();

    const { status, json } = await sendExample(name);

    expect(status).toBe(404);
    expect(json).toEqual(exampleOf(row, 404));
  },
);
