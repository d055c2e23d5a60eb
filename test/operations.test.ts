import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { serviceErrorCodes } from '../client/src/PetStoreError.ts';
import { errorStatuses } from '../lib/errors.ts';
import {
  basePath,
  type Operation,
  type OperationName,
  operationEntries,
  operations,
} from '../lib/operations.ts';
import { ListPetsQuery } from '../lib/schemas.ts';
import { errorStatuses as contractStatuses } from './contract/checkResponse.ts';
import { creations } from './helpers/exampleRequests.ts';

const { paths, components } = JSON.parse(readFileSync('openapi.json', 'utf8'));

/**
 * The places that an operation needs beyond its row and its schemas, as CONTRIBUTING.md lists them.
 *
 * Everything else is derived from the table.
 */
const places = (name: OperationName, { method, path, successStatus } = operations[name]) => [
  {
    file: `functions/${name}.ts`,
    has: new RegExp(`operationHandler\\('${name}'`),
    add: 'its handler',
  },
  {
    file: 'infra/openapi/texts.ts',
    has: new RegExp(`^  ${name}: {`, 'm'),
    add: 'its texts and examples',
  },
  {
    file: `test/functions/${name}.test.ts`,
    has: new RegExp(`describe\\('${name}`),
    add: 'a test of what clients cannot see',
  },
  {
    file: `test/contract/${name}.test.ts`,
    has: new RegExp(`describe\\('${name}`),
    add: 'a check of its interface from outside',
  },
  {
    file: 'docs/reference.md',
    has: new RegExp(
      `^\\| \`${name}\` \\| \`${method} ${basePath}${path}\` \\|[^|]+\\| ${successStatus}\\b`,
      'm',
    ),
    add: 'its row in the table of operations, with its status',
  },
  {
    file: 'docs/guide/changelog.md',
    has: new RegExp(`\`${name}\``),
    add: 'what is new for clients',
  },
];

const isFilter = (parameter: string) => parameter !== 'limit' && parameter !== 'cursor';

/** The rows that a test would skip or misread. What teaches the test such a row removes its line here. */
const unread: [test: string, isUnread: (row: Operation) => unknown][] = [
  [
    'test/helpers/exampleRequests.ts sends no creation below another resource, such as /pets/{petId}/visits.',
    ({ method, input }) => method === 'POST' && input.path,
  ],
  [
    'test/interleavings/brokenPromises.ts takes it that a stored pet never changes.',
    ({ method }) => method !== 'GET' && method !== 'POST',
  ],
  [
    'test/contract/petResource.ts and test/helpers/samplePets.ts have the filter of one list.',
    ({ input: { query } }) =>
      query !== ListPetsQuery && Object.keys(Object(query).shape ?? {}).some(isFilter),
  ],
];

describe('operations', () => {
  it.each(operationEntries)('are rows that all tests can read: %s', (_, row) => {
    expect(unread.flatMap(([test, isUnread]) => (isUnread(row) ? [test] : []))).toEqual([]);
  });

  it.each(operationEntries)('have everything that an operation needs: %s', (name) => {
    const missing = places(name)
      .filter(({ file, has }) => !existsSync(file) || !has.test(readFileSync(file, 'utf8')))
      .map(({ file, add }) => `${name} is missing in ${file}: add ${add}.`);

    expect(missing).toEqual([]);
  });

  it.each(operationEntries.filter(([, { method }]) => method === 'GET'))(
    'only read when their method is GET: %s',
    (_, { access }) => {
      expect(access.filter(({ action }) => action !== 'GetItem' && action !== 'Query')).toEqual([]);
    },
  );

  it.each(
    operationEntries.flatMap(([name, { deprecation }]) =>
      deprecation ? [{ name, ...deprecation }] : [],
    ),
  )('no longer include $name from $sunset on: remove its row and its files', ({ sunset }) => {
    expect(Date.now()).toBeLessThan(Date.parse(sunset));
  });
});

/** Returns the name of the schema of a body in openapi.json. */
const schemaOf = ({ content }: { content: Record<string, { schema: { $ref: string } }> }) =>
  content['application/json']?.schema.$ref.split('/').at(-1) ?? '';

describe('docs/reference.md', () => {
  it.each(creations)('has a table with each field that %s takes or returns', (creation) => {
    const { path, successStatus } = operations[creation];
    const { requestBody, responses } = paths[path].post;
    const input = components.schemas[schemaOf(requestBody)];
    const name = schemaOf(responses[successStatus]);

    const reference = readFileSync('docs/reference.md', 'utf8');
    const [table = ''] = new RegExp(`^### ${name}\n.+?^[^|\n]`, 'ms').exec(reference) ?? [];
    const rows = [...table.matchAll(/^\| `(\w+)` \|[^|]+\| (\w+) \|/gm)];
    expect(
      rows.map(([, field, inRequests]) => [field, inRequests]),
      `see the table of ${name} in docs/reference.md`,
    ).toEqual(
      Object.keys(components.schemas[name].properties).map((field) => {
        if (!(field in input.properties)) return [field, 'ignored'];
        return [field, input.required.includes(field) ? 'required' : 'optional'];
      }),
    );
  });
});

describe('the error codes', () => {
  const table = readFileSync('docs/guide/errors.md', 'utf8').matchAll(/^\| `(\w+)` \| (\d+) \|/gm);
  const withoutStatus = serviceErrorCodes.map((code) => [code, errorStatuses[code]]);

  it.each([
    ['docs/guide/errors.md', [...table].map(([, code, status]) => [code, Number(status)])],
    ['client/src/PetStoreError.ts', withoutStatus],
    ['infra/openapi/responses.ts and openapi.json', Object.entries(contractStatuses)],
  ])('of %s are those of lib/errors.ts', (file, listed) => {
    expect(Object.fromEntries(listed), `see ${file}`).toStrictEqual(errorStatuses);
  });
});
