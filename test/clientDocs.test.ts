import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { corsHeaders } from '../lib/cors.ts';
import { errorStatuses } from '../lib/errors.ts';
import { basePath, operationEntries, operations } from '../lib/operations.ts';
import { ListPetsQuery } from '../lib/schemas.ts';
import { errorStatuses as contractStatuses } from './contract/checkResponse.ts';
import { creations } from './helpers/exampleRequests.ts';

// These tests compare what clients read with the rows and schemas.

const read = (file: string) => readFileSync(file, 'utf8');

const reference = read('docs/reference.md');
const { paths, components } = JSON.parse(read('openapi.json'));

/** Returns the texts in backticks. */
const codeIn = (text = '') => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

/** Returns the name of the schema of a body in openapi.json. */
const schemaOf = ({ content }: { content: Record<string, { schema: { $ref: string } }> }) =>
  content['application/json']?.schema.$ref.split('/').at(-1) ?? '';

type Field = { $ref?: string; type?: string; format?: string; enum?: string[] };

const resolve = (field: Field): Field =>
  field.$ref ? components.schemas[field.$ref.split('/').at(-1) ?? ''] : field;

/** Returns `5 December 2030` for `2030-12-05`, and an empty list without a date. */
const inWords = (date?: string) =>
  date ? [new Date(date).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' })] : [];

describe('docs/reference.md', () => {
  it.each(operationEntries)('has the row of %s', (name, { method, path, successStatus }) => {
    const { requestBody, parameters } =
      paths[path]?.[method.toLowerCase()] ?? expect.fail('Run npm run openapi first.');
    const [, call, input = '', response = ''] =
      new RegExp(`^\\| \`${name}\` \\|([^|]+)\\|([^|]+)\\|([^|]+)\\|`, 'm').exec(reference) ?? [];

    expect(
      {
        call: codeIn(call),
        hasBody: /\bbody\b/.test(input),
        parameters: codeIn(input),
        status: Number.parseInt(response, 10),
      },
      `see ${name} in the table of operations of docs/reference.md`,
    ).toEqual({
      call: [`${method} ${basePath}${path}`],
      hasBody: requestBody !== undefined,
      parameters: parameters.map((parameter: { name: string }) => parameter.name),
      status: successStatus,
    });
  });

  it('has each header of a response, and no other', () => {
    const [, table = ''] = /^## Response headers\n(.+?)\n\n(?!\|)/ms.exec(reference) ?? [];
    const listed = [...table.matchAll(/^\|([^|]+)\|/gm)].flatMap(([, cell]) => codeIn(cell));
    const names = listed
      .filter((code) => !code.startsWith('rel='))
      .map((code) => code.split(':')[0]);
    // The headers of CORS and of the fallback, which openapi.json does not describe.
    const others = Object.keys(corsHeaders('', [''])).concat('Allow');

    const sent = operationEntries
      .flatMap<string>(([, { responseHeaders = [] }]) => responseHeaders)
      .concat(Object.keys(components.headers), others);
    expect(new Set(names), 'see Response headers in docs/reference.md').toEqual(new Set(sent));
  });

  it.each(creations)('has a table with each field that %s takes or returns', (creation) => {
    const { path, successStatus } = operations[creation];
    const { requestBody, responses } =
      paths[path]?.post ?? expect.fail('Run npm run openapi first.');
    const input = components.schemas[schemaOf(requestBody)];
    const name = schemaOf(responses[successStatus]);

    const [table = ''] = new RegExp(`^### ${name}\n.+?(?=^#)`, 'ms').exec(reference) ?? [];
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
    expect(new Set(named), `see the sentence on int64 in ${file}`).toEqual(new Set(int64Fields));
  });

  it('say which headers a web page can read: docs/guide/authentication.md', () => {
    const text = read('docs/guide/authentication.md');
    const [sentence] = /can read the headers [^.]+/.exec(text) ?? [];

    const { 'Access-Control-Expose-Headers': exposed } = corsHeaders('', ['']);
    expect(codeIn(sentence)).toEqual(exposed?.split(', ').toSorted());
  });

  it.each(['docs/guide/pagination.md', 'client/src/types.ts', 'infra/openapi/descriptions.ts'])(
    'say which filter a cursor belongs to: %s',
    (file) => {
      const named = [...read(file).matchAll(/(?:stage|deployment) and (?:one )?`(\w+)`/g)];

      const filters = Object.keys(ListPetsQuery.shape).filter(
        (name) => name !== 'limit' && name !== 'cursor',
      );
      expect(named.map(([, name]) => name)).toEqual(filters);
    },
  );

  it.each(operationEntries)('say that %s is deprecated if it is', (name, { deprecation }) => {
    const datesIn = (file: string) =>
      read(file)
        .split('\n')
        .filter((line) => line.includes(`\`${name}\` is`) && line.includes('deprecated'))
        .flatMap((line) => line.match(/\d+ [A-Z][a-z]+ \d{4}/g) ?? []);

    const { since, sunset } = deprecation ?? {};
    const changelog = 'docs/guide/changelog.md';
    expect(datesIn(changelog), changelog).toEqual([...inWords(since), ...inWords(sunset)]);
    const types = 'client/src/types.ts';
    expect(datesIn(types), types).toEqual(inWords(sunset));
    for (const file of ['docs/reference.md', 'client/README.md']) {
      const isAnnounced = read(file).includes(`\`${name}\` is [deprecated]`);
      expect(isAnnounced, file).toBe(deprecation !== undefined);
    }
  });
});

describe('the error codes', () => {
  const table = read('docs/guide/errors.md').matchAll(/^\| `(\w+)` \| (\d+) \|/gm);

  it.each([
    ['docs/guide/errors.md', [...table].map(([, code, status]) => [code, Number(status)])],
    ['infra/openapi/responses.ts and openapi.json', Object.entries(contractStatuses)],
  ])('of %s are those of lib/errors.ts', (file, listed) => {
    expect(Object.fromEntries(listed), `see ${file}`).toStrictEqual(errorStatuses);
  });
});
