import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { breakingChanges } from '../../infra/tools/openapi/breakingChanges.ts';
import { describeOperation } from '../../infra/tools/openapi/describeApi.ts';
import type { Examples } from '../../infra/tools/openapi/describeResponses.ts';
import { encodeCursor } from '../../lib/cursor.ts';
import { operationEntries, operations } from '../../lib/operations.ts';
import { CreatePetHeaders, ListPetsQuery, NewPet } from '../../lib/schemas.ts';
import { runScript } from '../helpers/npmScript.ts';

// biome-ignore lint/suspicious/noExplicitAny: a description is edited at will here
type Description = any;

const description: Description = JSON.parse(readFileSync('openapi.json', 'utf8'));
const edited = (edit: (description: Description) => void) => {
  const copy = structuredClone(description);
  edit(copy);
  return copy;
};

describe('npm run openapi', () => {
  it('finds the committed description true to the code', async () => {
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
      const operation = description.paths[path][method.toLowerCase()];

      expect(operation.operationId).toBe(name);
      expect(Object.keys(operation.responses)).toContain(String(successStatus));
      expect(operation.deprecated ?? false).toBe(deprecation !== undefined);
      expect(operation['x-sunset']).toBe(deprecation?.sunset);
      expect(operation['x-stability']).toBe(stability);
    }
  });

  it('gives a real example of every response', () => {
    for (const operations of Object.values<Description>(description.paths)) {
      for (const { responses } of Object.values<Description>(operations)) {
        for (const [status, { content }] of Object.entries<Description>(responses)) {
          const { example } = content['application/json'];
          if (Number(status) >= 400) expect(example.status).toBe(Number(status));
          else expect(example).toBeDefined();
        }
      }
    }
  });

  it('names int64 where the interface does', () => {
    const int64 = { type: 'integer', format: 'int64' };
    const { NewPet, Pet } = description.components.schemas;

    expect(NewPet.properties.categoryId).toMatchObject(int64);
    expect(Pet.properties.categoryId).toMatchObject(int64);
    expect(Pet.properties.id).toMatchObject(int64);
    expect(description.paths['/pets/{petId}'].get.parameters[0].schema).toMatchObject(int64);
  });
});

describe('the limits of openapi.json', () => {
  const parameter = (path: string, method: string, name: string) =>
    description.paths[path][method].parameters.find((each: Description) => each.name === name)
      .schema;

  it('are those that listPets checks', () => {
    const { minimum, maximum, default: usual } = parameter('/pets', 'get', 'limit');
    const isTaken = (limit: number) => ListPetsQuery.safeParse({ limit: String(limit) }).success;

    expect([minimum - 1, minimum, maximum, maximum + 1].map(isTaken)).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect(ListPetsQuery.parse({}).limit).toBe(usual);
    expect(
      description.paths['/pets'].get.responses[200].content['application/json'].schema.maxItems,
    ).toBe(maximum);
  });

  it('are those that createPet checks', () => {
    const { maxLength, pattern } = description.components.schemas.NewPet.properties.name;
    const isTaken = (name: string) => NewPet.safeParse({ name, categoryId: 1n }).success;
    const { maxLength: maxKeyLength } = parameter('/pets', 'post', 'Idempotency-Key');
    const isKeyTaken = (key: string) =>
      CreatePetHeaders.safeParse({ 'idempotency-key': key }).success;

    expect([isTaken('x'.repeat(maxLength)), isTaken('x'.repeat(maxLength + 1))]).toEqual([
      true,
      false,
    ]);
    expect([
      isKeyTaken('x'.repeat(maxKeyLength)),
      isKeyTaken('x'.repeat(maxKeyLength + 1)),
    ]).toEqual([true, false]);
    for (let codePoint = 0; codePoint <= 0xffff; codePoint += 1) {
      const name = String.fromCodePoint(codePoint);
      if (name.isWellFormed()) expect(isTaken(name)).toBe(new RegExp(pattern, 'u').test(name));
    }
  });

  it('are those of a cursor', () => {
    const cursor = encodeCursor(2n ** 63n - 1n, { stage: 'local' });

    expect(cursor).toMatch(new RegExp(parameter('/pets', 'get', 'cursor').pattern));
  });
});

describe('describeOperation', () => {
  it('marks an operation that is beta, and the header of its answers', () => {
    const operation = { ...operations.listPets, stability: 'beta' as const };
    const anyExample = { get: () => ({}) } as unknown as Examples;

    const described: Description = describeOperation('listPets', operation, anyExample);

    expect(described['x-stability']).toBe('beta');
    expect(described.responses[200].headers['X-Stability'].schema.enum).toEqual(['beta']);
    expect(described.responses[401].headers['X-Stability'].required).toBe(true);
  });
});

describe('breakingChanges', () => {
  it('finds none in the same description', () => {
    expect(breakingChanges(description, description)).toEqual([]);
  });

  it.each<[string, (description: Description) => void]>([
    ['GET /pets was removed before its sunset.', ({ paths }) => delete paths['/pets'].get],
    [
      'GET /pets/{petId} was removed before its sunset.',
      ({ paths }) => delete paths['/pets/{petId}'],
    ],
    [
      'GET /pets has another operationId.',
      ({ paths }) => (paths['/pets'].get.operationId = 'getPets'),
    ],
    ['The security requirement changed.', (copy) => (copy.security = [])],
    [
      'GET /pets: the parameter status was removed.',
      ({ paths }) => paths['/pets'].get.parameters.splice(1, 1),
    ],
    [
      'GET /pets: the parameter limit became required.',
      ({ paths }) => (paths['/pets'].get.parameters[0].required = true),
    ],
    [
      'GET /pets: limit: maximum was lowered.',
      ({ paths }) => (paths['/pets'].get.parameters[0].schema.maximum = 50),
    ],
    [
      'GET /pets: limit: minimum was raised.',
      ({ paths }) => (paths['/pets'].get.parameters[0].schema.minimum = 2),
    ],
    [
      'GET /pets: limit: type changed from "integer" to "string".',
      ({ paths }) => (paths['/pets'].get.parameters[0].schema.type = 'string'),
    ],
    [
      'GET /pets: cursor: pattern changed from "^[A-Za-z0-9_-]{20}$" to "^x$".',
      ({ paths }) => (paths['/pets'].get.parameters[2].schema.pattern = '^x$'),
    ],
    [
      'POST /pets body.name: maxLength was lowered.',
      ({ components }) => (components.schemas.NewPet.properties.name.maxLength = 100),
    ],
    [
      'POST /pets body.status became required.',
      ({ components }) => components.schemas.NewPet.required.push('status'),
    ],
    [
      'POST /pets body.categoryId: format changed from "int64" to "int32".',
      ({ components }) => (components.schemas.NewPet.properties.categoryId.format = 'int32'),
    ],
    [
      'POST /pets body.status: sold is not taken any more.',
      ({ components }) => components.schemas.PetStatus.enum.pop(),
    ],
    [
      'GET /pets: 200 body[].status: lost may be answered.',
      ({ components }) => components.schemas.PetStatus.enum.push('lost'),
    ],
    [
      'GET /pets: 200 body[].name may be missing.',
      ({ components }) => (components.schemas.Pet.required = ['id', 'categoryId', 'status']),
    ],
    [
      'GET /pets: 200 body[].id was removed.',
      ({ components }) => delete components.schemas.Pet.properties.id,
    ],
    ['POST /pets: 201 was removed.', ({ paths }) => delete paths['/pets'].post.responses[201]],
    [
      'POST /pets: 201 header Location was removed.',
      ({ paths }) => delete paths['/pets'].post.responses[201].headers.Location,
    ],
    [
      'The server https://{apiId}.execute-api.{region}.amazonaws.com/v1-production/v1 was removed.',
      ({ servers }) => (servers[0].url = servers[0].url.replace(/v1$/, 'v2')),
    ],
    [
      'The way to authenticate changed.',
      ({ components }) => (components.securitySchemes.apiKey.scheme = 'basic'),
    ],
    [
      'GET /pets has another security requirement.',
      ({ paths }) => (paths['/pets'].get.security = []),
    ],
    [
      'GET /pets: limit: default changed from 20 to 1.',
      ({ paths }) => (paths['/pets'].get.parameters[0].schema.default = 1),
    ],
    [
      'POST /pets body: additionalProperties changed from undefined to false.',
      ({ components }) => (components.schemas.NewPet.additionalProperties = false),
    ],
    [
      'POST /pets body.name: const changed from undefined to "Rex".',
      ({ components }) => (components.schemas.NewPet.properties.name.const = 'Rex'),
    ],
    [
      'GET /pets: 200 header Link was removed.',
      ({ paths }) => delete paths['/pets'].get.responses[200].headers.Link,
    ],
    [
      'GET /pets: 503 header Retry-After: pattern changed from "^[0-9]+$" to " GMT$".',
      ({ components }) => (components.headers.RetryAfter.schema.pattern = ' GMT$'),
    ],
    [
      'GET /pets/{petId}: 200 header Sunset was removed.',
      ({ paths }) => delete paths['/pets/{petId}'].get.responses[200].headers.Sunset,
    ],
    [
      'GET /pets/{petId} ends sooner, on 2027-01-01.',
      ({ paths }) => (paths['/pets/{petId}'].get['x-sunset'] = '2027-01-01'),
    ],
    [
      'GET /pets became experimental.',
      ({ paths }) => (paths['/pets'].get['x-stability'] = 'experimental'),
    ],
    ['POST /pets: 202 may be answered.', ({ paths }) => (paths['/pets'].post.responses[202] = {})],
    [
      'GET /pets: 200 body: maxItems was raised.',
      ({ paths }) =>
        (paths['/pets'].get.responses[200].content['application/json'].schema.maxItems = 1000),
    ],
  ])('says «%s»', (sentence, edit) => {
    expect(breakingChanges(description, edited(edit))).toContain(sentence);
  });

  it.each<[string, (description: Description) => void]>([
    [
      'a new operation',
      ({ paths }) => (paths['/owners'] = { get: { operationId: 'listOwners', responses: {} } }),
    ],
    [
      'a new optional parameter',
      ({ paths }) => paths['/pets'].get.parameters.push({ name: 'q', in: 'query', schema: {} }),
    ],
    ['a wider limit', ({ paths }) => (paths['/pets'].get.parameters[0].schema.maximum = 1000)],
    [
      'a new member in an answer',
      ({ components }) => (components.schemas.Pet.properties.age = { type: 'integer' }),
    ],
    ['an error that no longer happens', ({ paths }) => delete paths['/pets'].get.responses[403]],
    ['another text', ({ info }) => (info.description = 'Better.')],
  ])('lets %s pass', (_case, edit) => {
    expect(breakingChanges(description, edited(edit))).toEqual([]);
  });

  it('lets an operation go when its sunset has come', () => {
    const without = edited(({ paths }) => delete paths['/pets/{petId}']);

    expect(breakingChanges(description, without, new Date('2030-12-05'))).toEqual([]);
    expect(breakingChanges(description, without, new Date('2030-12-04'))).toHaveLength(1);
  });
});
