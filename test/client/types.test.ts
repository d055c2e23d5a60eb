import { describe, expectTypeOf, it } from 'vitest';
import type * as z from 'zod/mini';
import type { ServiceErrorCode } from '../../client/src/PetStoreError.ts';
import type * as client from '../../client/src/types.ts';
import type { ErrorCode } from '../../lib/errors.ts';
import type { OperationName, operations } from '../../lib/operations.ts';
import type * as schemas from '../../lib/schemas.ts';

/** zod allows an explicit `undefined` where the client has only an optional member. */
type Defined<Type> = { [Member in keyof Type]: Exclude<Type[Member], undefined> };

/** The optional members of a type, each `undefined`. */
type AllUndefined<Type> = {
  [Member in keyof Type as object extends Pick<Type, Member> ? Member : never]: undefined;
};

type Client = client.PetStoreClient;

/** What each method resolves to. A method that walks all pages, such as `allPets`, returns no promise. */
type Results = {
  [Name in keyof Client as ReturnType<Client[Name]> extends Promise<unknown>
    ? Name
    : never]: ItemsOf<Awaited<ReturnType<Client[Name]>>>;
};

/** The items of a page, and every other value as it is. */
type ItemsOf<Value> = Value extends { next?: unknown }
  ? Extract<Value[keyof Value], unknown[]>
  : Value;

type OutputOf<Name extends OperationName> = (typeof operations)[Name] extends {
  output: z.ZodMiniType<infer Output>;
}
  ? Output extends (infer Item)[]
    ? Defined<Item>[]
    : Defined<Output>
  : undefined;

/** `npm run check:types` fails where a type of the client differs from the schemas of the service. */
describe('the types of the client', () => {
  it('of a status and a query are those of the schemas', () => {
    expectTypeOf<client.PetStatus>().toEqualTypeOf<z.output<typeof schemas.PetStatus>>();
    expectTypeOf<Defined<client.ListPetsQuery>>().toEqualTypeOf<
      Defined<Partial<z.output<typeof schemas.ListPetsQuery>>>
    >();
  });

  it('accept undefined for an optional member, under exactOptionalPropertyTypes', () => {
    expectTypeOf<AllUndefined<client.ListPetsQuery>>().toExtend<client.ListPetsQuery>();
    expectTypeOf<AllUndefined<client.NewPet>>().toExtend<Partial<client.NewPet>>();
  });

  it('accept a safe integer for an int64 in a new pet', () => {
    type Input = z.input<typeof schemas.NewPet>;

    expectTypeOf<Defined<client.NewPet>>().toEqualTypeOf<
      Defined<{ [Name in keyof Input]: bigint extends Input[Name] ? bigint | number : Input[Name] }>
    >();
  });

  it('send every header that createPet reads', () => {
    expectTypeOf<
      keyof z.input<typeof schemas.CreationHeaders>
    >().toEqualTypeOf<'idempotency-key'>();
  });

  it('have each error code', () => {
    expectTypeOf<ServiceErrorCode>().toEqualTypeOf<ErrorCode>();
  });

  it('have a method for each operation, which resolves to its output: add it to client/src/types.ts', () => {
    expectTypeOf<Results>().toEqualTypeOf<{ [Name in OperationName]: OutputOf<Name> }>();
  });
});
