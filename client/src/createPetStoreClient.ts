import type { operations, paths } from './description.ts';
import { assertExactJson, exactDigits, stringifyExactJson } from './exactJson.ts';
import { isPet, isPetArray } from './isPet.ts';
import { nextCursor } from './links.ts';
import type {
  CallOptions,
  CreatePetOptions,
  ListPetsQuery,
  NewPet,
  Page,
  Pet,
  PetStoreClient,
} from './PetStoreClient.ts';
import { readAnswer } from './readAnswer.ts';
import type { ClientRequest } from './sendRequest.ts';
import { sendWithRetries } from './sendWithRetries.ts';
import { isVisibleAscii, type PetStoreClientOptions, readOptions } from './settings.ts';

/** From the description, so that a path or a header that changes there does not compile here. */
const petsPath = '/pets' satisfies keyof paths;
const petPath = '/pets/{petId}' satisfies keyof paths;
type CreatePetHeaders = NonNullable<operations['createPet']['parameters']['header']>;

const maxIdempotencyKeyLength = 255;

/**
 * Makes a client of the service at one base address, with one API key.
 *
 * Throws for options that cannot be used, and in a runtime whose JSON would round an int64.
 */
export function createPetStoreClient(options: PetStoreClientOptions): PetStoreClient {
  assertExactJson();
  const settings = readOptions(options);
  const petsAddress = `${settings.baseAddress}${petsPath}`;
  const send = (request: ClientRequest) => sendWithRetries(request, settings);

  async function listPets(query: ListPetsQuery = {}, { signal }: CallOptions = {}): Promise<Page> {
    const address = `${petsAddress}${queryText(query)}`;
    const answer = await send({ operation: 'listPets', method: 'GET', address, signal });
    const pets = readAnswer(answer, isPetArray);
    const cursor = nextCursor(answer.headers.get('Link'), petsAddress, query.cursor);
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
    const keyHeader: CreatePetHeaders = { 'Idempotency-Key': idempotencyKey };
    const answer = await send({
      operation: 'createPet',
      method: 'POST',
      address: petsAddress,
      headers: { ...keyHeader, 'Content-Type': 'application/json' },
      body: stringifyExactJson(newPet),
      signal,
    });
    return readAnswer(answer, isPet);
  }

  async function getPet(id: bigint | number, { signal }: CallOptions = {}): Promise<Pet> {
    const path = petPath.replace('{petId}', exactDigits('id', id));
    const address = `${settings.baseAddress}${path}`;
    return readAnswer(await send({ operation: 'getPet', method: 'GET', address, signal }), isPet);
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
