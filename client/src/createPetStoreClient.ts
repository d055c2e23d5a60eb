import { assertExactJson, exactDigits, stringifyExactJson } from './exactJson.ts';
import { nextCursor } from './links.ts';
import { type ClientRequest, sendWithRetries } from './request.ts';
import { readBody } from './response.ts';
import { isVisibleAscii, type PetStoreClientOptions, readOptions } from './settings.ts';
import type {
  CallOptions,
  CreatePetOptions,
  ListPetsQuery,
  NewPet,
  Page,
  Pet,
  PetStoreClient,
} from './types.ts';

const maxIdempotencyKeyLength = 255;

/**
 * Creates a client for the service at one base address, with one API key.
 *
 * Throws for invalid options, and in a runtime whose JSON would round an int64.
 */
export function createPetStoreClient(options: PetStoreClientOptions): PetStoreClient {
  assertExactJson();
  const settings = readOptions(options);
  const petsAddress = `${settings.baseAddress}/pets`;
  const send = (request: ClientRequest) => sendWithRetries(request, settings);

  async function listPets(query: ListPetsQuery = {}, { signal }: CallOptions = {}): Promise<Page> {
    const address = `${petsAddress}${queryText(query)}`;
    const response = await send({ operation: 'listPets', method: 'GET', address, signal });
    const pets = readBody(response, isPetArray);
    const cursor = nextCursor(response.headers.get('Link'), petsAddress, query.cursor);
    return cursor === undefined ? { pets } : { pets, next: { ...query, cursor } };
  }

  async function* allPets(query: ListPetsQuery = {}, options: CallOptions = {}) {
    let next: ListPetsQuery | undefined = query;
    while (next) {
      const page: Page = await listPets(next, options);
      yield* page.pets;
      next = page.next;
    }
  }

  async function createPet(newPet: NewPet, options: CreatePetOptions = {}): Promise<Pet> {
    const { idempotencyKey = crypto.randomUUID(), signal } = options;
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
      body: stringifyExactJson(newPet),
      signal,
    });
    return readBody(response, isPet);
  }

  async function getPet(id: bigint | number, { signal }: CallOptions = {}): Promise<Pet> {
    const address = `${petsAddress}/${exactDigits('id', id)}`;
    return readBody(await send({ operation: 'getPet', method: 'GET', address, signal }), isPet);
  }

  return { listPets, allPets, createPet, getPet };
}

function queryText(query: ListPetsQuery): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  return parameters.size === 0 ? '' : `?${parameters}`;
}

const petMembers = {
  id: 'bigint',
  name: 'string',
  categoryId: 'bigint',
  status: 'string',
} as const;

/** Accepts further members, which a newer service may add. */
function isPet(value: unknown): value is Pet {
  if (typeof value !== 'object' || value === null) return false;
  const members = value as Record<string, unknown>;
  return Object.entries(petMembers satisfies Record<keyof Pet, string>).every(
    ([name, type]) => typeof members[name] === type,
  );
}

function isPetArray(value: unknown): value is Pet[] {
  return Array.isArray(value) && value.every(isPet);
}
