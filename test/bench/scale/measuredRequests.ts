import { localStage } from '../../../infra/local/localStage.ts';
import { samplePet } from '../../../infra/local/samplePet.ts';
import type { RawEvent } from '../../../lib/http/event.ts';
import type { OperationName } from '../../../lib/operations.ts';
import { encodeCursor } from '../../../lib/pets/cursor.ts';
import type { Pet, PetStatus } from '../../../lib/schemas.ts';

type JsonPet = { id: number; name: string; categoryId: number; status: PetStatus };

type MeasuredRequest = {
  operation: OperationName;
  event: RawEvent;
  /** What the response must contain. A new pet has an id beyond the store's own pets. */
  expected: 'a new pet' | JsonPet[];
};

/** A place in a store: `id` moves over all pets, `deepId` over those from 50 to 80 % of the list. */
type Place = { petCount: number; id: number; deepId: number };

/** A few pets have this status, as many in a large store as in a small one. */
const rareStatus: PetStatus = 'pending';
const rarePets = 40;

/** The pets of a store: made up, with the rare ones spread over all ids. */
export function benchPet(id: bigint, petCount: number): Pet {
  const pet = samplePet(id);
  if (id % BigInt(petCount / rarePets) === 0n) return { ...pet, status: rareStatus };
  return pet.status === rareStatus ? { ...pet, status: 'available' } : pet;
}

const kinds = {
  createPet: () => create({}),
  'createPet with an Idempotency-Key': () => create({ 'Idempotency-Key': crypto.randomUUID() }),
  getPet: ({ petCount, id }: Place) => get(petCount, id),
  'listPets, the first page': ({ petCount }: Place) => list(petCount, {}),
  'listPets, the first page of 100': ({ petCount }: Place) => list(petCount, { limit: 100 }),
  'listPets, deep in the pages': ({ petCount, deepId }: Place) =>
    list(petCount, { afterId: deepId }),
  'listPets of one status, deep': ({ petCount, deepId }: Place) =>
    list(petCount, { status: 'sold', afterId: deepId }),
  'listPets of a rare status': ({ petCount }: Place) =>
    list(petCount, { status: rareStatus, afterId: petCount / 4 }),
} satisfies Record<string, (place: Place) => MeasuredRequest>;

export type Kind = keyof typeof kinds;
export const kindNames = Object.keys(kinds) as Kind[];

let requestCount = 0;

/** Returns the next request of a kind. Consecutive requests ask for different pets. */
export function nextRequest(kind: Kind, petCount: number): MeasuredRequest {
  requestCount += 1;
  // Multiples of the golden ratio are spread evenly and never repeat.
  const share = (requestCount * 0.618033988749895) % 1;
  return kinds[kind]({
    petCount,
    id: 1 + Math.floor(share * petCount),
    deepId: Math.floor((0.5 + 0.3 * share) * petCount),
  });
}

function create(headers: Record<string, string>): MeasuredRequest {
  const body = '{"name":"Zoë von Fluff","categoryId":7}';
  const event = { ...eventOf('POST', '/v1/pets'), headers, body };
  return { operation: 'createPet', event, expected: 'a new pet' };
}

function get(petCount: number, id: number): MeasuredRequest {
  const event = { ...eventOf('GET', `/v1/pets/${id}`), pathParameters: { petId: String(id) } };
  return { operation: 'getPet', event, expected: [jsonPet(id, petCount)] };
}

type List = { limit?: number; status?: PetStatus; afterId?: number };

function list(petCount: number, wanted: List): MeasuredRequest {
  const { limit, status, afterId } = wanted;
  const query = {
    ...(limit && { limit: String(limit) }),
    ...(status && { status }),
    ...(afterId && { cursor: encodeCursor(BigInt(afterId), { stage: localStage.name, status }) }),
  };
  const event = { ...eventOf('GET', '/v1/pets'), queryStringParameters: query };
  return { operation: 'listPets', event, expected: expectedPage(petCount, wanted) };
}

const expectedPages = new Map<string, JsonPet[]>();

/** Remembers each page, because the rare pets of a large store are far apart. */
function expectedPage(petCount: number, { limit = 20, status, afterId = 0 }: List): JsonPet[] {
  const key = JSON.stringify([petCount, limit, status, afterId]);
  const known = expectedPages.get(key);
  if (known) return known;
  const page: JsonPet[] = [];
  for (let id = afterId + 1; page.length < limit; id += 1) {
    const pet = jsonPet(id, petCount);
    if (!status || pet.status === status) page.push(pet);
  }
  expectedPages.set(key, page);
  return page;
}

function jsonPet(id: number, petCount: number): JsonPet {
  const { name, categoryId, status } = benchPet(BigInt(id), petCount);
  return { id, name, categoryId: Number(categoryId), status };
}

function eventOf(httpMethod: string, path: string): RawEvent {
  return { path, httpMethod, requestContext: { domainName: 'localhost', path } };
}
