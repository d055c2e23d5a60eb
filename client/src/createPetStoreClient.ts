import { exactDigits, stringifyBigintJson } from './bigintJson.ts';
import { type ClientRequest, sendWithRetries } from './request.ts';
import { readNextCursor, readSuccess } from './response.ts';
import { isVisibleAscii, type PetStoreClientOptions, readOptions } from './settings.ts';
import type {
  CallOptions,
  CreatePetOptions,
  ListPetsQuery,
  NewPet,
  Page,
  Pet,
  PetIterator,
  PetStoreClient,
  PetStoreResponse,
  ResponsePromise,
} from './types.ts';

const maxIdempotencyKeyLength = 255;

/** The largest page, which needs the fewest requests. */
const maxPageSize = 100;

/**
 * Creates a client for the service at one base address, with one API key.
 *
 * Throws a `TypeError` for invalid options.
 */
export function createPetStoreClient(options: PetStoreClientOptions): PetStoreClient {
  const settings = readOptions(options);
  const petsAddress = `${settings.baseAddress}/pets`;
  const send = (request: ClientRequest) => sendWithRetries(request, settings);

  async function requestPage(
    query: ListPetsQuery,
    options: CallOptions,
  ): Promise<PetStoreResponse<Page>> {
    const address = `${petsAddress}${queryText(query)}`;
    const response = await send({ operation: 'listPets', method: 'GET', address, options });
    const { data: pets, ...rest } = readSuccess(response, isPetArray);
    const cursor = readNextCursor(response);
    return {
      ...rest,
      data: cursor === undefined ? { pets } : { pets, next: { ...query, cursor } },
    };
  }

  async function* walkPages(query: ListPetsQuery, options: CallOptions) {
    let next: ListPetsQuery | undefined = query;
    while (next) {
      const page: PetStoreResponse<Page> = await requestPage(next, options);
      yield* page.data.pets;
      next = page.data.next;
    }
  }

  async function requestCreation(newPet: NewPet, options: CreatePetOptions) {
    const { idempotencyKey = crypto.randomUUID() } = options;
    if (!isVisibleAscii(idempotencyKey) || idempotencyKey.length > maxIdempotencyKeyLength) {
      throw new TypeError(
        `idempotencyKey must be 1 to ${maxIdempotencyKeyLength} visible ASCII characters.`,
      );
    }
    const response = await send({
      operation: 'createPet',
      method: 'POST',
      address: petsAddress,
      headers: { 'Idempotency-Key': idempotencyKey, 'Content-Type': 'application/json' },
      body: stringifyBigintJson(newPet),
      options,
    });
    return readSuccess(response, isPet);
  }

  async function requestPet(id: bigint | number, options: CallOptions) {
    const address = `${petsAddress}/${exactDigits('id', id)}`;
    return readSuccess(await send({ operation: 'getPet', method: 'GET', address, options }), isPet);
  }

  return {
    listPets: (query = {}, options = {}) => dataOf(requestPage(query, options)),
    allPets: (query = {}, options = {}) =>
      withToArray(walkPages({ ...query, limit: query.limit ?? maxPageSize }, options)),
    createPet: (newPet, options = {}) => dataOf(requestCreation(newPet, options)),
    getPet: (id, options = {}) => dataOf(requestPet(id, options)),
  };
}

function dataOf<Value>(call: Promise<PetStoreResponse<Value>>): ResponsePromise<Value> {
  const data = call.then((response) => response.data);
  return Object.assign(data, {
    withResponse() {
      // The caller has another promise that rejects; this one must not count as unhandled.
      data.catch(() => {});
      return call;
    },
  });
}

function withToArray(pets: AsyncGenerator<Pet, void, undefined>): PetIterator {
  return Object.assign(pets, {
    async toArray({ max }: { max: number }) {
      if (max !== Number.POSITIVE_INFINITY && !(Number.isSafeInteger(max) && max >= 1)) {
        throw new TypeError('max must be a whole number of at least 1, or Infinity.');
      }
      const collected: Pet[] = [];
      for await (const pet of pets) {
        if (collected.push(pet) >= max) break;
      }
      return collected;
    },
  });
}

function queryText(query: ListPetsQuery): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  return parameters.size === 0 ? '' : `?${parameters}`;
}

/** What `typeof` may say of each member. An optional one is also `undefined`. */
const petMembers: Record<keyof Pet, string[]> = {
  id: ['bigint'],
  name: ['string'],
  categoryId: ['bigint'],
  status: ['string'],
};

/** Accepts further members, which a newer service may add. */
function isPet(value: unknown): value is Pet {
  if (typeof value !== 'object' || value === null) return false;
  const members = value as Record<string, unknown>;
  return Object.entries(petMembers).every(([name, types]) => types.includes(typeof members[name]));
}

function isPetArray(value: unknown): value is Pet[] {
  return Array.isArray(value) && value.every(isPet);
}
