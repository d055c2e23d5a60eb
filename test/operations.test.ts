import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { serviceErrorCodes } from '../client/src/PetStoreError.ts';
import { corsHeaders } from '../lib/cors.ts';
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

const read = (file: string) => readFileSync(file, 'utf8');
const reference = read('docs/reference.md');

/** Returns what stands in backticks. */
const codeIn = (text = '') => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

/** Returns the name of the schema of a body in openapi.json. */
const schemaOf = ({ content }: { content: Record<string, { schema: { $ref: string } }> }) =>
  content['application/json']?.schema.$ref.split('/').at(-1) ?? '';

type Field = { $ref?: string; type?: string; format?: string; enum?: string[] };

const resolve = (field: Field): Field =>
  field.$ref ? components.schemas[field.$ref.split('/').at(-1) ?? ''] : field;

/** `5 December 2030` for `2030-12-05`. */
const inWords = (date: string) =>
  new Date(date).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

describe('docs/reference.md', () => {
  it.each(operationEntries)('has the input of %s', (name, { method, path }) => {
    const { requestBody, parameters } = paths[path][method.toLowerCase()];
    const [, input = ''] =
      new RegExp(`^\\| \`${name}\` \\|[^|]+\\|([^|]+)\\|`, 'm').exec(reference) ?? [];

    expect(
      { hasBody: /\bbody\b/.test(input), parameters: codeIn(input) },
      `see ${name} in the table of operations of docs/reference.md`,
    ).toEqual({
      hasBody: requestBody !== undefined,
      parameters: parameters.map((parameter: { name: string }) => parameter.name),
    });
  });

  it('has each header of a response, and no other', () => {
    const [, table = ''] = /^## Response headers\n(.+?)\n\n(?!\|)/ms.exec(reference) ?? [];
    const listed = [...table.matchAll(/^\|([^|]+)\|/gm)].flatMap(([, cell]) => codeIn(cell));
    const names = listed
      .filter((code) => !code.startsWith('rel='))
      .map((code) => code.split(':')[0]);
    // Of CORS, and of the fallback, which openapi.json does not describe.
    const others = Object.keys(corsHeaders('', [''])).concat('Allow');

    const sent = operationEntries
      .flatMap<string>(([, { responseHeaders = [] }]) => responseHeaders)
      .concat(Object.keys(components.headers), others);
    expect(new Set(names), 'see Response headers in docs/reference.md').toEqual(new Set(sent));
  });

  it.each(creations)('has a table with each field that %s takes or returns', (creation) => {
    const { path, successStatus } = operations[creation];
    const { requestBody, responses } = paths[path].post;
    const input = components.schemas[schemaOf(requestBody)];
    const name = schemaOf(responses[successStatus]);

    const [table = ''] = new RegExp(`^### ${name}\n.+?^[^|\n]`, 'ms').exec(reference) ?? [];
    const rows = [...table.matchAll(/^\| `(\w+)` \| ([^|]+) \| (\w+) \|([^|]+)\|/gm)];
    expect(
      rows.map(([, field, type, inRequests, rule]) => {
        const { enum: values } = resolve(components.schemas[name].properties[field ?? ''] ?? {});
        return [field, type, inRequests, ...(values ? codeIn(rule) : [])];
      }),
      `see the table of ${name} in docs/reference.md`,
    ).toEqual(
      Object.entries<Field>(components.schemas[name].properties).map(([field, described]) => {
        const { type, format, enum: values = [] } = resolve(described);
        const isRequired = input.required.includes(field) ? 'required' : 'optional';
        const inRequests = field in input.properties ? isRequired : 'ignored';
        return [field, format === 'int64' ? format : type, inRequests, ...values];
      }),
    );
  });
});

describe('the documents for clients', () => {
  const int64Fields = Object.values<{ properties?: Record<string, Field> }>(
    components.schemas,
  ).flatMap(({ properties = {} }) =>
    Object.keys(properties).filter((name) => properties[name]?.format === 'int64'),
  );

  it.each([
    'docs/guide/int64.md',
    'client/README.md',
    'client/src/types.ts',
    'infra/openapi/openApiDocument.ts',
  ])('say which fields are int64: %s', (file) => {
    const text = read(file).replaceAll('\\`', '`');
    const [sentence] = /(`\w+`(, | and )?)+ (is|are) (int64|`bigint`)/.exec(text) ?? [];

    const named = codeIn(sentence).filter((code) => code !== 'bigint');
    expect(named.sort(), `see the sentence on int64 in ${file}`).toEqual(
      [...new Set(int64Fields)].sort(),
    );
  });

  it.each(operationEntries)('say that %s is deprecated if it is', (name, { deprecation }) => {
    const linesOf = (file: string) =>
      read(file)
        .split('\n')
        .filter((line) => line.includes(`\`${name}\``) && /deprecated/.test(line));

    const { since, sunset } = deprecation ?? {};
    for (const file of ['docs/reference.md', 'docs/guide/changelog.md', 'client/README.md']) {
      const dates = linesOf(file).flatMap((line) => line.match(/\d+ [A-Z][a-z]+ \d{4}/g) ?? []);
      const expected = file.includes('changelog') ? [since, sunset] : [sunset];
      expect(dates, `see the deprecation of ${name} in ${file}`).toEqual(
        expected.flatMap((date) => (date ? [inWords(date)] : [])),
      );
    }
    const [, comment = ''] =
      new RegExp(`/\\*\\*((?:(?!\\*/).)+)\\*/\\s+${name}\\(`, 's').exec(
        read('client/src/types.ts'),
      ) ?? [];
    expect(
      /@deprecated .+(\d{4}-\d\d-\d\d)/.exec(comment)?.[1],
      `see @deprecated of ${name} in client/src/types.ts`,
    ).toBe(sunset);
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
