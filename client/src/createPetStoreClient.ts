import { assertExactJson, exactDigits, stringifyBigintJson } from './bigintJson.ts';
import { readApiKey, readBaseAddress, readIdempotencyKey, readTimeoutMs } from './readOptions.ts';
import { type PetStoreRequest, sendRequest } from './sendRequest.ts';
import type {
  CallOptions,
  CreationOptions,
  PageQuery,
  PetStoreClientOptions,
  PetStoreResponse,
  ResponsePromise,
} from './types.ts';

/** Availability status of a pet. */
export type PetStatus = 'available' | 'pending' | 'sold';

/**
 * A pet to add. Unknown members are ignored. Only a member named `__proto__`, or a member
 * `constructor` that has a `prototype`, is rejected with 400.
 */
export type NewPet = {
  /**
   * The name of the pet: 1 to 255 Unicode code points, not all white space, no lone surrogates.
   * Stored and returned verbatim.
   */
  name: string;
  /**
   * Identifier of the category. Every int64 is stored exactly. A `number` must be a safe integer.
   */
  categoryId: bigint | number;
  /** Availability status, by default `available`. */
  status?: PetStatus | undefined;
};

/** A stored pet. */
export type Pet = {
  /** Unique identifier, assigned on creation. Ids start at 1 and have gaps. */
  id: bigint;
  /** The name of the pet. */
  name: string;
  /** Identifier of the category. */
  categoryId: bigint;
  /** Availability status. A later version may add values. */
  status: string;
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
  listPets: (query?: ListPetsQuery, options?: CallOptions) => ResponsePromise<Page>;

  /**
   * Iterates over all pets in the order of `listPets`, in pages of `query.limit`, by default 100.
   *
   * Each page is requested when the iteration reaches it. What was added a moment before the
   * iteration, or during it, may be missing.
   */
  allPets: (query?: ListPetsQuery, options?: CallOptions) => AsyncGenerator<Pet, void, undefined>;

  /** Adds a pet and assigns its id. Retries never add a second one. */
  createPet: (newPet: NewPet, options?: CreationOptions) => ResponsePromise<Pet>;

  /**
   * Returns one pet by its id.
   *
   * @deprecated Since 2026-11-20, removed on 2030-12-05. Use `listPets` with the `status` filter
   * instead.
   */
  getPet: (petId: bigint | number, options?: CallOptions) => ResponsePromise<Pet>;
};

/** What an operation sends, and what its success must be. */
type OperationRequest<Value> = Pick<
  PetStoreRequest<Value>,
  'method' | 'successStatus' | 'isExpected'
> & { path: string; query?: PageQuery; body?: unknown };

/**
 * Creates a client for the service at one base address, with one API key.
 *
 * Throws a `TypeError` for invalid options, and an `Error` on a runtime that would round int64.
 */
export function createPetStoreClient(options: PetStoreClientOptions): PetStoreClient {
  assertExactJson();
  const baseAddress = readBaseAddress(options);
  const authorization = `Bearer ${readApiKey(options)}`;
  // The service gives up after 12 s, so its own response comes before the time-out.
  const timeoutMs = readTimeoutMs(options.timeoutMs ?? 15_000);
  const { maxAttempts = 3 } = options;

  /** Sends a request. A POST gets an Idempotency-Key, because every request may be retried. */
  async function send<Value>(
    { method, path, query = {}, body, successStatus, isExpected }: OperationRequest<Value>,
    { signal, idempotencyKey, ...limits }: CreationOptions = {},
  ): Promise<PetStoreResponse<Value>> {
    return sendRequest({
      method,
      address: `${baseAddress}${path}${queryText(query)}`,
      headers: {
        Accept: 'application/json',
        Authorization: authorization,
        ...(method === 'POST' && { 'Idempotency-Key': readIdempotencyKey(idempotencyKey) }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: stringifyBigintJson(body) }),
      successStatus,
      isExpected,
      // Read at each call, because a test or a tracer may replace the global one later.
      fetch: options.fetch ?? globalThis.fetch,
      signal,
      timeoutMs: readTimeoutMs(limits.timeoutMs ?? timeoutMs),
      maxAttempts: limits.maxAttempts ?? maxAttempts,
    });
  }

  async function listPets(query: ListPetsQuery = {}, callOptions?: CallOptions) {
    const { data: pets, ...response } = await send(
      { method: 'GET', path: '/pets', query, successStatus: 200, isExpected: isPets },
      callOptions,
    );
    const cursor = readNextCursor(response.headers);
    const data: Page = { pets, ...(cursor !== undefined && { next: { ...query, cursor } }) };
    return { ...response, data };
  }

  async function* allPets(query: ListPetsQuery = {}, callOptions?: CallOptions) {
    // The largest pages need the fewest requests.
    let next: ListPetsQuery | undefined = { ...query, limit: query.limit ?? 100 };
    while (next) {
      const { data }: PetStoreResponse<Page> = await listPets(next, callOptions);
      yield* data.pets;
      next = data.next;
    }
  }

  async function createPet(body: NewPet, callOptions?: CreationOptions) {
    return send(
      { method: 'POST', path: '/pets', body, successStatus: 201, isExpected: isPet },
      callOptions,
    );
  }

  async function getPet(petId: bigint | number, callOptions?: CallOptions) {
    const path = `/pets/${exactDigits('petId', petId)}`;
    return send({ method: 'GET', path, successStatus: 200, isExpected: isPet }, callOptions);
  }

  return {
    listPets: (...sent) => dataOf(listPets(...sent)),
    allPets,
    createPet: (...sent) => dataOf(createPet(...sent)),
    getPet: (...sent) => dataOf(getPet(...sent)),
  };
}

/** Accepts further members, and values of `status`, which a newer service may add. */
function isPet(data: unknown): data is Pet {
  const { id, name, categoryId, status } = Object(data);
  return (
    typeof id === 'bigint' &&
    typeof name === 'string' &&
    typeof categoryId === 'bigint' &&
    typeof status === 'string'
  );
}

function isPets(data: unknown): data is Pet[] {
  return Array.isArray(data) && data.every(isPet);
}

function queryText(query: PageQuery): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  return parameters.size === 0 ? '' : `?${parameters}`;
}

/**
 * Reads the cursor from the link to the next page, in the form in which the service sends it.
 *
 * Only the cursor is used, so no response can send the API key to another server.
 */
function readNextCursor(headers: Headers): string | undefined {
  const [, address = ''] = /<([^<>]*)>; rel="next"/.exec(headers.get('Link') ?? '') ?? [];
  return new URLSearchParams(address.split('?')[1]).get('cursor') ?? undefined;
}

/** Returns a promise of the data. Its `withResponse` returns the whole response. */
function dataOf<Value>(call: Promise<PetStoreResponse<Value>>): ResponsePromise<Value> {
  const data = call.then((response) => response.data);
  return Object.assign(data, {
    withResponse() {
      // The caller uses the other promise, which rejects too, so this one is not unhandled.
      data.catch(() => {});
      return call;
    },
  });
}
