import { readFileSync } from 'node:fs';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type * as z from 'zod/mini';
import type * as client from '../../client/src/index.ts';
import type { ErrorCode } from '../../lib/errors.ts';
import { operationEntries } from '../../lib/operations.ts';
import { type ListPetsQuery, limits, type NewPet, type Pet } from '../../lib/schemas.ts';
import openApi from '../../openapi.json' with { type: 'json' };

/** What a user may pass as `bigint` or `number` is a `bigint` to the service. */
type Exact<Sent> = { [Name in keyof Sent]: bigint extends Sent[Name] ? bigint : Sent[Name] };

describe('the client', () => {
  // Where a type differs, `npm run check:types` fails. Vitest itself compares no types.
  it('has the types of lib/', () => {
    expectTypeOf<client.Pet>().toEqualTypeOf<Pet>();
    expectTypeOf<Exact<client.NewPet>>().toEqualTypeOf<z.input<typeof NewPet>>();
    expectTypeOf<keyof client.ListPetsQuery>().toEqualTypeOf<keyof ListPetsQuery>();
    expectTypeOf<client.ServiceErrorCode>().toEqualTypeOf<ErrorCode>();
  });

  const read = (file: string) => readFileSync(`client/src/${file}.ts`, 'utf8');
  const source = read('createPetStoreClient');
  const comments = (source + read('types')).replaceAll(/\s+\*?\s*/g, ' ');

  const { description, properties } = openApi.components.schemas.NewPet;
  const rules = [
    description,
    ...Object.values(properties).map((field) => field.description),
    `1 to ${limits.idempotencyKey.maxCharacters} visible ASCII characters`,
  ];

  it.each(rules)('has the rule of openapi.json in a comment: %s', (rule) => {
    expect(comments).toContain(rule);
  });

  it.each(operationEntries)('says the deprecation of a row, if it has one: %s', (name, row) => {
    const comment = RegExp(`/\\*\\*((?!\\*/).)*\\*/\n {2}${name}: \\(`, 's').exec(source)?.[0];

    const { since, sunset } = row.deprecation ?? {};
    const text = comment ?? expect.fail(`add ${name} to client/src/createPetStoreClient.ts`);
    const [deprecation] = /@deprecated(.*\d\.)?/.exec(text) ?? [];
    expect(deprecation).toBe(since && `@deprecated Since ${since}, removed on ${sunset}.`);
  });
});
