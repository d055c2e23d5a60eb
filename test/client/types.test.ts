import { readFileSync } from 'node:fs';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type * as z from 'zod/mini';
import type * as client from '../../client/src/index.ts';
import type { ErrorCode } from '../../lib/errors.ts';
import { operationEntries } from '../../lib/operations.ts';
import type { ListPetsQuery, NewPet, Pet } from '../../lib/schemas.ts';

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

  const source = readFileSync('client/src/createPetStoreClient.ts', 'utf8');

  it.each(operationEntries)('says the deprecation of a row, if it has one: %s', (name, row) => {
    const comment = RegExp(`/\\*\\*((?!\\*/).)*\\*/\n {2}${name}\\(`, 's').exec(source)?.[0];

    const { since, sunset } = row.deprecation ?? {};
    expect(comment ?? expect.fail(`${name} has no comment.`)).toSatisfy((text: string) =>
      since
        ? text.includes(`@deprecated Since ${since}, removed on ${sunset}.`)
        : !text.includes('@deprecated'),
    );
  });
});
