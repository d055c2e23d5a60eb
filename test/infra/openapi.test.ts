import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { breakingChanges } from '../../infra/tools/openapi/breakingChanges.ts';
import { operationEntries } from '../../lib/operations.ts';
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
      'GET /pets: limit: the type changed from integer to string.',
      ({ paths }) => (paths['/pets'].get.parameters[0].schema.type = 'string'),
    ],
    [
      'GET /pets: cursor: the pattern changed.',
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
      'POST /pets body.categoryId: the format changed from int64 to int32.',
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
      'POST /pets: 201 does not promise the header Location any more.',
      ({ paths }) => delete paths['/pets'].post.responses[201].headers.Location,
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
