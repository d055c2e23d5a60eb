import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { describeOperation } from '../../infra/tools/openapi/describeApi.ts';
import type { Examples } from '../../infra/tools/openapi/describeResponses.ts';
import { operationEntries, operations } from '../../lib/operations.ts';
import { encodeCursor } from '../../lib/pets/cursor.ts';
import { CreatePetHeaders, ListPetsQuery, NewPet } from '../../lib/schemas.ts';
import { runScript } from '../helpers/npmScript.ts';

// biome-ignore lint/suspicious/noExplicitAny: what a description holds, the tests say
type Description = any;

const description: Description = JSON.parse(readFileSync('openapi.json', 'utf8'));

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
