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
  status?: PetStatus;
};

export type ListPetsQuery = {
  /** Maximum number of pets in the page: 1 to 100, 20 by default. */
  limit?: number;
  /** Returns only pets with this status. */
  status?: PetStatus;
  /** The position to continue from. Opaque; valid only for the same deployment and `status`. */
  cursor?: string;
};

export type Page = {
  pets: Pet[];
  /** The query of the next page for `listPets`. Absent on the last page. */
  next?: ListPetsQuery;
};

export type CallOptions = {
  /** Aborts the call, its waits and its retries. The call rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Replaces the client's `timeoutMs` for this call. */
  timeoutMs?: number | undefined;
  /** Replaces the client's `maxAttempts` for this call. */
  maxAttempts?: number | undefined;
};

export type CreatePetOptions = CallOptions & {
  /**
   * Identifies this creation: 1 to 255 visible ASCII characters, by default a fresh UUID.
   *
   * Pass a stored key if a creation must survive a crash of your process. Within 24 hours the same
   * key with the same pet returns the same pet; with another pet it is a 422.
   */
  idempotencyKey?: string | undefined;
};

/** A success, with what only the response has. */
export type PetStoreResponse<Value> = {
  data: Value;
  status: number;
  headers: Headers;
  /** Identifies the request to the operators of the service. */
  requestId: string | undefined;
};

/** The result of a call. `withResponse` adds the status, headers and request id of the response. */
export type ResponsePromise<Value> = Promise<Value> & {
  withResponse(): Promise<PetStoreResponse<Value>>;
};

/** Pets of all pages. Each page is requested when the iteration reaches it. */
export type PetIterator = AsyncGenerator<Pet, void, undefined> & {
  /** Collects up to `max` pets, and requests no page beyond them. `Infinity` collects all. */
  toArray(options: { max: number }): Promise<Pet[]>;
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

  /** Iterates over all pets, in ascending order of id, in pages of `query.limit`, by default 100. */
  allPets(query?: ListPetsQuery, options?: CallOptions): PetIterator;

  /** Adds a pet. Retries never add a second one. */
  createPet(newPet: NewPet, options?: CreatePetOptions): ResponsePromise<Pet>;

  /**
   * Reads one pet.
   *
   * @deprecated The service removes this operation on 2030-12-05: use `listPets` with a `status`.
   */
  getPet(id: bigint | number, options?: CallOptions): ResponsePromise<Pet>;
};

/** An operation of the service. `allPets` is several requests of `listPets`. */
export type OperationName = Exclude<keyof PetStoreClient, 'allPets'>;

/** The announced removal of an operation (RFC 9745 and RFC 8594). */
export type DeprecationNotice = {
  operation: OperationName;
  /** When the operation became deprecated. */
  deprecation?: Date;
  /** When the service removes it. */
  sunset?: Date;
  /** The address of the replacement. */
  successor?: string;
};
