import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { createOpenApiDocument } from '../../infra/openapi/openApiDocument.ts';
import { type Operation, operationEntries, operations } from '../../lib/operations.ts';
import { encodeCursor } from '../../lib/pets/cursor.ts';
import { CreatePetHeaders, ListPetsQuery, NewPet } from '../../lib/schemas.ts';
import { runScript } from '../helpers/npmScript.ts';

// biome-ignore lint/suspicious/noExplicitAny: the tests assert the shape
type Document = any;

const openApiDocument: Document = JSON.parse(readFileSync('openapi.json', 'utf8'));

const text = expect.stringMatching(/./);

describe('npm run openapi', () => {
  it('finds the committed document up to date', async () => {
    const { exitCode, stderr } = await runScript('openapi', ['--check']);

    expect(stderr).toBe('');
    expect(exitCode).toBe(0);
  });
});

describe('openapi.json', () => {
  it('describes each row of the operations table', () => {
    for (const [
      name,
      { method, path, successStatus, deprecation, stability },
    ] of operationEntries) {
      const operation = openApiDocument.paths[path][method.toLowerCase()];

      expect(operation.operationId).toBe(name);
      expect(Object.keys(operation.responses)).toContain(String(successStatus));
      expect(operation.deprecated ?? false).toBe(deprecation !== undefined);
      expect(operation['x-sunset']).toBe(deprecation?.sunset);
      expect(operation['x-stability']).toBe(stability);
    }
  });

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

  it('names int64 where the interface does', () => {
    const int64 = { type: 'integer', format: 'int64' };
    const { NewPet, Pet } = openApiDocument.components.schemas;

    expect(NewPet.properties.categoryId).toMatchObject(int64);
    expect(Pet.properties.categoryId).toMatchObject(int64);
    expect(Pet.properties.id).toMatchObject(int64);
    expect(openApiDocument.paths['/pets/{petId}'].get.parameters[0].schema).toMatchObject(int64);
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
    ['The schema of the output of listPets has no name: add it', { output: age }],
    ['The schema of the output of listPets has no name: add it', { output: z.array(age) }],
  ])('throws «%s to …» with the file to edit', (message, change, name = 'listPets') => {
    const table = { [name]: { ...operations.listPets, ...change } };

    expect(() => createOpenApiDocument(table)).toThrow(`${message} to infra/openapi/texts.ts.`);
  });
});
