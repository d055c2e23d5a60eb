import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { createOpenApiDocument } from '../../infra/openapi/openApiDocument.ts';
import { openapi } from '../../infra/tools/openapi.ts';
import { type Operation, operations } from '../../lib/operations.ts';
import { encodeCursor } from '../../lib/pets/cursor.ts';
import { CreatePetHeaders, ListPetsQuery, NewPet } from '../../lib/schemas.ts';
import { runCommandHere } from '../helpers/runCommandHere.ts';

// biome-ignore lint/suspicious/noExplicitAny: the tests assert the shape
type Document = any;

const openApiDocument: Document = JSON.parse(readFileSync('openapi.json', 'utf8'));

const text = expect.stringMatching(/./);

describe('npm run openapi', () => {
  it('finds the committed document up to date', async () => {
    const { exitCode, stderr } = await runCommandHere(openapi, ['--check']);

    expect(stderr).toBe('');
    expect(exitCode).toBe(0);
  });
});

describe('openapi.json', () => {
  it('refers to the response of its status for each error', () => {
    for (const operations of Object.values<Document>(openApiDocument.paths)) {
      for (const { responses } of Object.values<Document>(operations)) {
        for (const [status, { $ref }] of Object.entries<Document>(responses)) {
          if (Number(status) < 400) continue;
          const { content } = openApiDocument.components.responses[$ref.split('/').at(-1)];
          expect(content['application/json'].schema.$ref).toBe('#/components/schemas/Error');
          expect(content['application/json'].example.status).toBe(Number(status));
        }
      }
    }
  });

  it('describes each operation, parameter, schema and field', () => {
    const { paths, components } = openApiDocument;
    for (const operation of Object.values<Document>(paths).flatMap(Object.values<Document>)) {
      expect(operation).toMatchObject({ summary: text, description: text });
      for (const parameter of operation.parameters) expect(parameter.description).toEqual(text);
    }
    for (const schema of Object.values<Document>(components.schemas)) {
      expect(schema.description).toEqual(text);
      for (const field of Object.values<Document>(schema.properties ?? {})) {
        expect(field.description).toEqual(text);
      }
    }
  });
});

describe('the limits of openapi.json', () => {
  const parameter = (path: string, method: string, name: string) =>
    openApiDocument.paths[path][method].parameters.find((each: Document) => each.name === name)
      .schema;

  it('are the limits of listPets', () => {
    const { minimum, maximum, default: defaultLimit } = parameter('/pets', 'get', 'limit');
    const isValid = (limit: number) => ListPetsQuery.safeParse({ limit: String(limit) }).success;

    expect([minimum - 1, minimum, maximum, maximum + 1].map(isValid)).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect(ListPetsQuery.parse({}).limit).toBe(defaultLimit);
    expect(
      openApiDocument.paths['/pets'].get.responses[200].content['application/json'].schema.maxItems,
    ).toBe(maximum);
  });

  it('are the limits of createPet', () => {
    const { maxLength, pattern } = openApiDocument.components.schemas.NewPet.properties.name;
    const isValid = (name: string) => NewPet.safeParse({ name, categoryId: 1n }).success;
    const { maxLength: maxKeyLength } = parameter('/pets', 'post', 'Idempotency-Key');
    const isKeyValid = (key: string) =>
      CreatePetHeaders.safeParse({ 'idempotency-key': key }).success;

    expect([isValid('x'.repeat(maxLength)), isValid('x'.repeat(maxLength + 1))]).toEqual([
      true,
      false,
    ]);
    expect([
      isKeyValid('x'.repeat(maxKeyLength)),
      isKeyValid('x'.repeat(maxKeyLength + 1)),
    ]).toEqual([true, false]);
    const patternRule = new RegExp(pattern, 'u');
    const basicPlane = Array.from({ length: 0x10000 }, (_, index) => String.fromCodePoint(index));
    const misjudged = basicPlane.filter(
      (name) => name.isWellFormed() && isValid(name) !== patternRule.test(name),
    );
    expect(misjudged).toEqual([]);
  });

  it('accept a cursor', () => {
    const cursor = encodeCursor(2n ** 63n - 1n, { stage: 'local' });

    expect(cursor).toMatch(new RegExp(parameter('/pets', 'get', 'cursor').pattern));
  });
});

describe('the patterns', () => {
  // Generated code searches in a value, matches at its start, or matches the whole of it.
  const modes = (pattern: string, value: string) => [
    new RegExp(pattern, 'u').test(value),
    new RegExp(pattern, 'uy').test(value),
    new RegExp(`^(?:${pattern})$`, 'u').test(value),
  ];
  const samples: Record<string, { accepted: string[]; refused: string[] }> = {
    name: {
      accepted: ['Rex', ' lead', 'trail\n', '\n\n.', '\u200b', '🐕'],
      refused: ['', ' ', '\t\n', '\u3000\u00a0'],
    },
    cursor: { accepted: ['AQAAAAAAAAABJZ96hei1'], refused: ['', 'AQAA', 'x'.repeat(21)] },
    'Idempotency-Key': { accepted: ['a', '"b-1"', '~!'], refused: ['', 'a b', ' a', 'é'] },
    Deprecation: { accepted: ['@1795132800'], refused: ['1795132800', '@', '@1 '] },
    Sunset: { accepted: ['Thu, 05 Dec 2030 00:00:00 GMT'], refused: ['GMT', '2030-12-05'] },
    SuccessorLink: {
      accepted: ['</v1/pets>; rel="successor-version"'],
      refused: ['</v1/pets>', '</v1/pets>; rel="next"'],
    },
    NextLink: { accepted: ['</v1/pets?cursor=a>; rel="next"'], refused: ['<>; rel="next"'] },
    Location: { accepted: ['/v1/pets/7', 'https://x/v1/pets/12'], refused: ['/v1/pets/', '7'] },
    RetryAfter: { accepted: ['1', '30'], refused: ['', 'soon', '1.5'] },
    Challenge: {
      accepted: ['Bearer realm="petstore"', 'Bearer realm="petstore", error="invalid_token"'],
      refused: ['Basic realm="petstore"'],
    },
  };
  const { components } = openApiDocument;
  const described: [string, string][] = [
    ...Object.values<Document>(openApiDocument.paths).flatMap((path) =>
      Object.values<Document>(path).flatMap(({ parameters }) =>
        parameters.map(({ name, schema }: Document) => [name, schema.pattern]),
      ),
    ),
    ...Object.values<Document>(components.schemas).flatMap(({ properties = {} }) =>
      Object.entries<Document>(properties).map(([name, { pattern }]) => [name, pattern]),
    ),
    ...Object.entries<Document>(components.headers).map(([name, { schema }]) => [
      name,
      schema.pattern,
    ]),
  ].filter((entry): entry is [string, string] => entry[1] !== undefined);

  it('are all tested below', () => {
    expect(described.map(([name]) => name).sort()).toEqual(Object.keys(samples).sort());
  });

  it.each(described)('mean the same to every engine: %s', (name, pattern) => {
    const { accepted = [], refused = [] } = samples[name] ?? {};

    for (const value of accepted) expect(modes(pattern, value), value).toEqual([true, true, true]);
    for (const value of refused) expect(modes(pattern, value), value).not.toContain(true);
  });
});

describe('the servers', () => {
  it('have no default that is the id of an API', () => {
    for (const { variables } of openApiDocument.servers) {
      expect(variables.apiId.default).not.toMatch(/^[a-z0-9]{10}$/);
    }
  });
});

describe('createOpenApiDocument', () => {
  it('marks an operation that is beta, and the header of its responses', () => {
    const listPets = { ...operations.listPets, stability: 'beta' as const };

    const document: Document = createOpenApiDocument({ ...operations, listPets });

    const described = document.paths['/pets'].get;
    const reference = { $ref: '#/components/headers/Stability' };
    expect(described['x-stability']).toBe('beta');
    expect(described.responses[200].headers['X-Stability']).toEqual(reference);
    expect(document.paths['/pets'].post.responses[201].headers).not.toHaveProperty('X-Stability');
    expect(document.components.responses.Unauthorized.headers['X-Stability']).toEqual(reference);
    expect(document.components.headers.Stability.schema.enum).toContain('beta');
  });

  const age = z.object({ age: z.int() });
  it.each<[message: string, change: Partial<Operation>, name?: string]>([
    ['The operation renamePet has no texts: add them', {}, 'renamePet'],
    ['The parameter age of listPets has no texts: add them', { input: { query: age } }],
    ['The schema of the body of listPets has no name: add it', { input: { body: age } }],
    ['The body of listPets has no requestExample: add it', { input: { body: NewPet } }],
    ['The schema of the output of listPets has no name: add it', { output: age }],
    ['The schema of the output of listPets has no name: add it', { output: z.array(age) }],
  ])('throws «%s to …» with the file to edit', (message, change, name = 'listPets') => {
    const table = { [name]: { ...operations.listPets, ...change } };

    expect(() => createOpenApiDocument(table)).toThrow(`${message} to infra/openapi/texts.ts.`);
  });
});
