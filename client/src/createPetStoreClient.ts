import { assertExactJson, exactDigits, stringifyBigintJson } from './bigintJson.ts';
import { PetStoreError } from './PetStoreError.ts';
import {
  defaultLimits,
  isVisibleAscii,
  readApiKey,
  readBaseAddress,
  readLimits,
} from './readOptions.ts';
import { type PetStoreRequest, sendRequest } from './sendRequest.ts';
import type {
  CallOptions,
  CreationOptions,
  CreationResponse,
  ListPetsQuery,
  PageQuery,
  Pet,
  PetStoreClient,
  PetStoreClientOptions,
  PetStoreResponse,
  ResponsePromise,
} from './types.ts';

const maxIdempotencyKeyLength = 255;

/** The largest page, which needs the fewest requests. */
const maxPageSize = 100;

type ClientRequest<Value> = Pick<
  PetStoreRequest<Value>,
  'method' | 'body' | 'successStatus' | 'isExpected'
> & { path: string; headers?: Record<string, string> };

/** A collection, such as `/pets`. The path of a nested one has the id of its parent. */
type Collection<Item> = { path: string; isItem(value: unknown): value is Item };

type Items<Item, Query> = { items: Item[]; next?: Query };

/**
 * Creates a client for the service at one base address, with one API key.
 *
 * Throws a `TypeError` for invalid options, and an `Error` on a runtime that would round int64.
 */
export function createPetStoreClient(options: PetStoreClientOptions): PetStoreClient {
  assertExactJson();
  if (!options) throw new TypeError('The options are missing: pass { baseAddress, apiKey }.');
  const baseAddress = readBaseAddress(options);
  const authorization = `Bearer ${readApiKey(options)}`;
  const limits = readLimits(options, defaultLimits);

  async function send<Value>(
    { path, headers, ...request }: ClientRequest<Value>,
    { signal, ...callLimits }: CallOptions,
  ): Promise<PetStoreResponse<Value>> {
    return sendRequest({
      ...request,
      address: `${baseAddress}${path}`,
      headers: { Accept: 'application/json', Authorization: authorization, ...headers },
      // Read at each call, because a test or a tracer may replace the global one later.
      fetch: options.fetch ?? globalThis.fetch,
      signal,
      ...readLimits(callLimits, limits),
    });
  }

  async function requestPage<Item, Query extends PageQuery>(
    { path, isItem }: Collection<Item>,
    query: Query,
    options: CallOptions,
  ): Promise<PetStoreResponse<Items<Item, Query>>> {
    const isExpected = (data: unknown): data is Item[] =>
      Array.isArray(data) && data.every((each) => isItem(each));
    const { data: items, ...response } = await send(
      { method: 'GET', path: `${path}${queryText(query)}`, successStatus: 200, isExpected },
      options,
    );
    const cursor = readNextCursor(response.headers);
    return {
      ...response,
      data: cursor === undefined ? { items } : { items, next: { ...query, cursor } },
    };
  }

  async function* walkPages<Item, Query extends PageQuery>(
    collection: Collection<Item>,
    query: Query,
    options: CallOptions,
  ): AsyncGenerator<Item, void, undefined> {
    let next: Query | undefined = { ...query, limit: query.limit ?? maxPageSize };
    const cursors = new Set([query.cursor]);
    while (next) {
      const { data, ...response }: PetStoreResponse<Items<Item, Query>> = await requestPage(
        collection,
        next,
        options,
      );
      yield* data.items;
      next = data.next;
      if (next && cursors.has(next.cursor)) {
        const message = 'The list does not end: the next page is one that was read before.';
        throw new PetStoreError('unexpected_response', message, response);
      }
      cursors.add(next?.cursor);
    }
  }

  async function requestCreation<Item>(
    { path, isItem: isExpected }: Collection<Item>,
    newItem: object,
    options: CreationOptions,
  ): Promise<CreationResponse<Item>> {
    const { idempotencyKey = randomKey() } = options;
    if (!isVisibleAscii(idempotencyKey) || idempotencyKey.length > maxIdempotencyKeyLength) {
      throw new TypeError(
        `idempotencyKey must be 1 to ${maxIdempotencyKeyLength} visible ASCII characters.`,
      );
    }
    const headers = { 'Idempotency-Key': idempotencyKey, 'Content-Type': 'application/json' };
    const body = stringifyBigintJson(newItem);
    const response = await send(
      { method: 'POST', path, headers, body, successStatus: 201, isExpected },
      options,
    );
    return { ...response, isReplayed: response.headers.get('Idempotent-Replayed') === 'true' };
  }

  async function requestPetPage(query: ListPetsQuery, options: CallOptions) {
    const { data, ...response } = await requestPage(pets, query, options);
    const { items, ...rest } = data;
    return { ...response, data: { pets: items, ...rest } };
  }

  async function requestPet(id: bigint | number, options: CallOptions) {
    const path = `${pets.path}/${exactDigits('id', id)}`;
    return send({ method: 'GET', path, successStatus: 200, isExpected: isPet }, options);
  }

  return {
    listPets: (query = {}, options = {}) => dataOf(requestPetPage({ ...query }, options)),
    allPets: (query = {}, options = {}) => walkPages(pets, { ...query }, options),
    createPet: (newPet, options = {}) => dataOf(requestCreation(pets, newPet, options)),
    getPet: (id, options = {}) => dataOf(requestPet(id, options)),
  };
}

/** Returns 128 random bits in hex. `crypto.randomUUID` does not exist on pages with plain http. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
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

/**
 * Returns a check of the `typeof` of each member that every value has.
 *
 * It accepts further members, which a newer service may add.
 */
function hasMembers<T>(types: Record<RequiredMember<T>, string>) {
  return (value: unknown): value is T => {
    if (typeof value !== 'object' || value === null) return false;
    const members = value as Record<string, unknown>;
    return Object.entries(types).every(([name, type]) => typeof members[name] === type);
  };
}

const isPet = hasMembers<Pet>({
  id: 'bigint',
  name: 'string',
  categoryId: 'bigint',
  status: 'string',
});

const pets: Collection<Pet> = { path: '/pets', isItem: isPet };
