// Written by `npm run openapi`, from the rows of lib/operations.ts and the texts of openapi/.
import type { CallOptions, CreationOptions, CreationResponse, PageQuery, ResponsePromise } from './types.ts';

/** The error codes of this version of the service. */
export type ServiceErrorCode = 'bad_request' | 'unauthorized' | 'forbidden' | 'not_found' | 'method_not_allowed' | 'payload_too_large' | 'unsupported_media_type' | 'idempotency_key_reused' | 'too_many_requests' | 'internal_error' | 'service_unavailable' | 'gateway_timeout';

/** A pet to add. Unknown members are ignored. Only a member named `__proto__`, or a member `constructor` that has a `prototype`, is rejected with 400. */
export type NewPet = {
  /** The name of the pet: 1 to 255 Unicode code points, not all of them white space, no lone surrogates. Stored and returned verbatim. */
  name: string;
  /** Identifier of the category. Every int64 is stored exactly. A `number` must be a safe integer. */
  categoryId: bigint | number;
  /** Availability status, by default `available`. */
  status?: PetStatus | undefined;
};

/** Availability status of a pet. */
export type PetStatus = 'available' | 'pending' | 'sold';

/** A stored pet. */
export type Pet = {
  /** Unique identifier, assigned on creation. Ids start at 1, have gaps, and are never reused. */
  id: bigint;
  /** The name of the pet. */
  name: string;
  /** Identifier of the category. */
  categoryId: bigint;
  /** Availability status. */
  status: PetStatus;
};

export type ListPetsQuery = PageQuery & {
  /** Returns only pets with this availability status. */
  status?: PetStatus | undefined;
};

export type Page = {
  pets: Array<Pet>;
  /** The query of the next page for `listPets`. Absent on the last page. */
  next?: ListPetsQuery;
};

/**
 * The operations of the service, one method each.
 *
 * Every method retries temporary failures. It rejects with a `PetStoreError` for failures of the
 * service or the network, and with a `TypeError` for arguments that cannot be sent.
 */
export type PetStoreClient = {
  /** Returns one page of pets in ascending order of id. */
  listPets(query?: ListPetsQuery, options?: CallOptions): ResponsePromise<Page>;

  /**
   * Iterates over all pets in the order of `listPets`, in pages of `query.limit`, by default 100.
   *
   * Each page is requested when the iteration reaches it. What was added a moment before the iteration, or
   * during it, may be missing.
   */
  allPets(query?: ListPetsQuery, options?: CallOptions): AsyncGenerator<Pet, void, undefined>;

  /** Adds a pet and assigns its id. Retries never add a second one. */
  createPet(newPet: NewPet, options?: CreationOptions): ResponsePromise<Pet, CreationResponse<Pet>>;

  /**
   * Returns one pet by its id.
   *
   * @deprecated Since 2026-11-20, removed on 2030-12-05. Use `listPets` with the `status` filter instead.
   */
  getPet(petId: bigint | number, options?: CallOptions): ResponsePromise<Pet>;
};

/** @internal What the client sends and checks. */
export const operations = {
  listPets: {
    method: "GET",
    path: "/pets",
    status: 200,
    hasQuery: true,
    items: "pets",
    walk: "allPets",
    members: {
      id: "bigint",
      name: "string",
      categoryId: "bigint",
      status: "string"
    }
  },
  createPet: {
    method: "POST",
    path: "/pets",
    status: 201,
    hasBody: true,
    takesKey: true,
    members: {
      id: "bigint",
      name: "string",
      categoryId: "bigint",
      status: "string"
    }
  },
  getPet: {
    method: "GET",
    path: "/pets/{petId}",
    status: 200,
    members: {
      id: "bigint",
      name: "string",
      categoryId: "bigint",
      status: "string"
    }
  }
};
