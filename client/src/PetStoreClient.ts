import type { components, operations } from './description.ts';

type Answer<
  Name extends keyof operations,
  Status extends keyof operations[Name]['responses'],
> = operations[Name]['responses'][Status] extends { content: { 'application/json': infer Body } }
  ? Body
  : never;

/** Takes a number for an int64 too, which must then be a safe integer. */
type OrNumber<Input> = {
  [Member in keyof Input]: bigint extends Input[Member] ? Input[Member] | number : Input[Member];
};

export type Pet = components['schemas']['Pet'];
export type PetStatus = components['schemas']['PetStatus'];
export type NewPet = OrNumber<
  operations['createPet']['requestBody']['content']['application/json']
>;
export type ListPetsQuery = NonNullable<operations['listPets']['parameters']['query']>;

export type Page = {
  pets: Answer<'listPets', 200>;
  /** What to ask `listPets` for the next page; absent on the last one. */
  next?: ListPetsQuery;
};

export type CallOptions = {
  /** Ends the call, its waits and its further attempts; the call rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
};

export type CreatePetOptions = CallOptions & {
  /**
   * Names the animal's creation: 1 to 255 visible ASCII characters, a fresh UUID unless given.
   *
   * Give one that you have stored where a creation must outlive your process: within 24 hours the
   * same key with the same animal gives the same pet, and with another animal a 422.
   */
  idempotencyKey?: string | undefined;
};

/**
 * The operations of the service, one method each.
 *
 * Every method repeats attempts that are worth it, and rejects with a `PetStoreError` for what the
 * service or the network did, with a `TypeError` for arguments that cannot be sent.
 */
export type PetStoreClient = {
  /** Reads one page of animals, by ascending id. */
  listPets(query?: ListPetsQuery, options?: CallOptions): Promise<Page>;

  /** Walks over all animals, by ascending id, a page of `query.limit` at a time. */
  allPets(query?: ListPetsQuery, options?: CallOptions): AsyncGenerator<Pet, void, undefined>;

  /** Adds an animal, and only one however many attempts it takes. */
  createPet(newPet: NewPet, options?: CreatePetOptions): Promise<Answer<'createPet', 201>>;

  /**
   * Reads one animal.
   *
   * @deprecated The service removes this operation on 2030-12-05: use `listPets` with a `status`.
   */
  getPet(
    id: operations['getPet']['parameters']['path']['petId'] | number,
    options?: CallOptions,
  ): Promise<Answer<'getPet', 200>>;
};
