export type PetStatus = 'available' | 'pending' | 'sold';

/** A stored pet. `id` and `categoryId` are int64, exact to the last digit. */
export type Pet = {
  /** Assigned on creation. Ids start at 1, have gaps, and are never reused. */
  id: bigint;
  name: string;
  categoryId: bigint;
  status: PetStatus;
};

/** A pet to add. */
export type NewPet = {
  /** 1 to 255 Unicode code points, not all of them white space, no lone surrogates. */
  name: string;
  /** An int64. A `number` must be a safe integer. */
  categoryId: bigint | number;
  /** `available` by default. */
  status?: PetStatus | undefined;
};

/** The query of each list. */
export type PageQuery = {
  /** Maximum number of items in the page: 1 to 100, 20 by default. */
  limit?: number | undefined;
  /** The position to continue from. Opaque; valid only for the same deployment and filter. */
  cursor?: string | undefined;
};

export type ListPetsQuery = PageQuery & {
  /** Returns only pets with this status. */
  status?: PetStatus | undefined;
};

export type Page = {
  pets: Pet[];
  /** The query of the next page for `listPets`. Absent on the last page. */
  next?: ListPetsQuery;
};

/** Limits of a call, with defaults in the options of the client. */
export type Limits = {
  /** Time limit of one attempt, 15,000 by default. */
  timeoutMs?: number | undefined;
  /** The maximum number of attempts, 3 by default. 1 disables retries. */
  maxAttempts?: number | undefined;
};

export type CallOptions = Limits & {
  /** Aborts the call, its waits and its retries. The call rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
};

export type CreationOptions = CallOptions & {
  /**
   * Identifies this creation: 1 to 255 visible ASCII characters, by default a random one.
   *
   * Pass a stored key if a creation must survive a crash of your process. Within 24 hours, the same
   * key with the same body returns the item that was added. With another body, it is a 422.
   */
  idempotencyKey?: string | undefined;
};

export type PetStoreClientOptions = Limits & {
  /** Ends in `/v1`. `npm start` and the deployed stack print it. */
  baseAddress: string | undefined;
  /**
   * Like `baseAddress`, it may come from an environment variable. If the variable is not set, the client throws.
   *
   * With a read-only key, `createPet` rejects with `forbidden`.
   */
  apiKey: string | undefined;
  /** Replaces the runtime's `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
};

/** The data of a successful call, with the rest of the response. */
export type PetStoreResponse<Value> = {
  data: Value;
  status: number;
  headers: Headers;
  /** Identifies the request to the operators of the service. */
  requestId: string | undefined;
};

/** The response of a creation, such as `createPet`. */
export type CreationResponse<Value> = PetStoreResponse<Value> & {
  /**
   * True if an earlier request had used the Idempotency-Key, such as an attempt of the same call whose
   * response was lost.
   */
  isReplayed: boolean;
};

/** The result of a call. `withResponse` adds the status, headers and request id of the response. */
export type ResponsePromise<Value, Response = PetStoreResponse<Value>> = Promise<Value> & {
  withResponse(): Promise<Response>;
};

/**
 * The operations of the service, one method each.
 *
 * Every method retries temporary failures. It rejects with a `PetStoreError` for failures of the
 * service or the network, and with a `TypeError` for arguments that cannot be sent.
 */
export type PetStoreClient = {
  /** Reads one page of pets, in ascending order of id. */
  listPets(query?: ListPetsQuery, options?: CallOptions): ResponsePromise<Page>;

  /**
   * Iterates over all pets, in ascending order of id, in pages of `query.limit`, by default 100.
   *
   * Each page is requested when the iteration reaches it. A pet that was added a moment before the iteration,
   * or during it, may be missing.
   */
  allPets(query?: ListPetsQuery, options?: CallOptions): AsyncGenerator<Pet, void, undefined>;

  /** Adds a pet. Retries never add a second one. */
  createPet(newPet: NewPet, options?: CreationOptions): ResponsePromise<Pet, CreationResponse<Pet>>;

  /**
   * Reads one pet.
   *
   * @deprecated `getPet` is removed on 5 December 2030: use `listPets` with a `status`.
   */
  getPet(id: bigint | number, options?: CallOptions): ResponsePromise<Pet>;
};
