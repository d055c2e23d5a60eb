import { assertExactJson, exactDigits, stringifyBigintJson } from './bigintJson.ts';
import { PetStoreError } from './PetStoreError.ts';
import { type PetStoreRequest, sendRequest } from './sendRequest.ts';
import type {
  CallOptions,
  CreatePetOptions,
  CreationResponse,
  Limits,
  ListPetsQuery,
  NewPet,
  Page,
  Pet,
  PetStoreClient,
  PetStoreClientOptions,
  PetStoreResponse,
  ResponsePromise,
} from './types.ts';

/** The service gives up after 12 s, so its own response comes before the time-out. */
const defaultLimits = { timeoutMs: 15_000, maxAttempts: 3 };

/** The longest delay of a timer. A longer delay would end at once. */
const maxTimeoutMs = 2 ** 31 - 1;

const maxIdempotencyKeyLength = 255;

/** The largest page, which needs the fewest requests. */
const maxPageSize = 100;

type ClientRequest<Value> = Pick<
  PetStoreRequest<Value>,
  'method' | 'address' | 'body' | 'successStatus' | 'isExpected'
> & { headers?: Record<string, string> };

/**
 * Creates a client for the service at one base address, with one API key.
 *
 * Throws a `TypeError` for invalid options, and an `Error` on a runtime that would round int64.
 */
export function createPetStoreClient(options: PetStoreClientOptions): PetStoreClient {
  assertExactJson();
  if (!options) throw new TypeError('The options are missing: pass { baseAddress, apiKey }.');
  const petsAddress = `${readBaseAddress(options)}/pets`;
  const authorization = `Bearer ${readApiKey(options)}`;
  const limits = readLimits(options, defaultLimits);

  async function send<Value>(
    { headers, ...request }: ClientRequest<Value>,
    { signal, ...callLimits }: CallOptions,
  ): Promise<PetStoreResponse<Value>> {
    return sendRequest({
      ...request,
      headers: { Accept: 'application/json', Authorization: authorization, ...headers },
      // Read at each call, because a test or a tracer may replace the global one later.
      fetch: options.fetch ?? globalThis.fetch,
      signal,
      ...readLimits(callLimits, limits),
    });
  }

  async function requestPage(
    query: ListPetsQuery,
    options: CallOptions,
  ): Promise<PetStoreResponse<Page>> {
    const address = `${petsAddress}${queryText(query)}`;
    const { data: pets, ...response } = await send(
      { method: 'GET', address, successStatus: 200, isExpected: isPetArray },
      options,
    );
    const cursor = readNextCursor(response.headers);
    return {
      ...response,
      data: cursor === undefined ? { pets } : { pets, next: { ...query, cursor } },
    };
  }

  async function* walkPages(query: ListPetsQuery, options: CallOptions) {
    let next: ListPetsQuery | undefined = query;
    const cursors = new Set([query.cursor]);
    while (next) {
      const { data, ...response }: PetStoreResponse<Page> = await requestPage(next, options);
      yield* data.pets;
      next = data.next;
      if (next && cursors.has(next.cursor)) {
        const message = 'The list does not end: the next page is one that was read before.';
        throw new PetStoreError('unexpected_response', message, response);
      }
      cursors.add(next?.cursor);
    }
  }

  async function requestCreation(
    newPet: NewPet,
    options: CreatePetOptions,
  ): Promise<CreationResponse> {
    const { idempotencyKey = randomKey() } = options;
    if (!isVisibleAscii(idempotencyKey) || idempotencyKey.length > maxIdempotencyKeyLength) {
      throw new TypeError(
        `idempotencyKey must be 1 to ${maxIdempotencyKeyLength} visible ASCII characters.`,
      );
    }
    const headers = { 'Idempotency-Key': idempotencyKey, 'Content-Type': 'application/json' };
    const body = stringifyBigintJson(newPet);
    const response = await send(
      {
        method: 'POST',
        address: petsAddress,
        headers,
        body,
        successStatus: 201,
        isExpected: isPet,
      },
      options,
    );
    return { ...response, isReplayed: response.headers.get('Idempotent-Replayed') === 'true' };
  }

  async function requestPet(id: bigint | number, options: CallOptions) {
    const address = `${petsAddress}/${exactDigits('id', id)}`;
    return send({ method: 'GET', address, successStatus: 200, isExpected: isPet }, options);
  }

  return {
    listPets: (query = {}, options = {}) => dataOf(requestPage({ ...query }, options)),
    allPets: (query = {}, options = {}) =>
      walkPages({ ...query, limit: query.limit ?? maxPageSize }, options),
    createPet: (newPet, options = {}) => dataOf(requestCreation(newPet, options)),
    getPet: (id, options = {}) => dataOf(requestPet(id, options)),
  };
}

/** Returns 128 random bits in hex. `crypto.randomUUID` does not exist on pages with plain http. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function readBaseAddress({ baseAddress }: PetStoreClientOptions): string {
  if (!baseAddress) {
    throw new TypeError('baseAddress is missing: pass the address of the service with its /v1.');
  }
  // A user, password, query or fragment would be lost.
  if (!URL.canParse(baseAddress) || !/^https?:\/\/[^@?#]+\/v1\/?$/.test(baseAddress)) {
    throw new TypeError(
      'baseAddress must be an http or https address that ends in /v1, such as http://localhost:3000/v1.',
    );
  }
  return baseAddress.replace(/\/$/, '');
}

/** The messages never contain the key. The runtime's own error for an invalid header would contain it. */
function readApiKey({ apiKey }: PetStoreClientOptions): string {
  if (!apiKey) {
    throw new TypeError('apiKey is missing: pass the API key that the operators gave you.');
  }
  if (!isVisibleAscii(apiKey)) {
    throw new TypeError('apiKey must be a string of visible ASCII characters.');
  }
  return apiKey;
}

function readLimits({ timeoutMs, maxAttempts }: Limits, defaults: typeof defaultLimits) {
  return {
    timeoutMs: readCount('timeoutMs', timeoutMs ?? defaults.timeoutMs, maxTimeoutMs),
    maxAttempts: readCount('maxAttempts', maxAttempts ?? defaults.maxAttempts),
  };
}

function readCount(name: string, value: number, max = Number.MAX_SAFE_INTEGER): number {
  if (Number.isSafeInteger(value) && 1 <= value && value <= max) return value;
  throw new TypeError(`${name} must be a whole number from 1 to ${max}.`);
}

/** Whether a text can be a header value without encoding. */
function isVisibleAscii(text: unknown): text is string {
  return typeof text === 'string' && /^[!-~]+$/.test(text);
}

function queryText(query: ListPetsQuery): string {
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
function dataOf<Response extends PetStoreResponse<unknown>>(
  call: Promise<Response>,
): ResponsePromise<Response['data'], Response> {
  const data = call.then((response): Response['data'] => response.data);
  return Object.assign(data, {
    withResponse() {
      // The caller uses the other promise, which rejects too. So this one must not count as unhandled.
      data.catch(() => {});
      return call;
    },
  });
}

type RequiredMember<T> = { [Name in keyof T]-?: undefined extends T[Name] ? never : Name }[keyof T];

/** The `typeof` of each member that every pet has. */
const petMembers = {
  id: 'bigint',
  name: 'string',
  categoryId: 'bigint',
  status: 'string',
} satisfies Record<RequiredMember<Pet>, string>;

/** Accepts further members, which a newer service may add. */
function isPet(value: unknown): value is Pet {
  if (typeof value !== 'object' || value === null) return false;
  const members = value as Record<string, unknown>;
  return Object.entries(petMembers).every(([name, type]) => typeof members[name] === type);
}

function isPetArray(value: unknown): value is Pet[] {
  return Array.isArray(value) && value.every(isPet);
}
