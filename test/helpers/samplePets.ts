import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { maxInt64, stringifyExactJson } from '../../lib/int64.ts';
import { toPetItem } from '../../lib/pets/petStore.ts';
import { type NewPet, Pet, type PetStatus, petStatuses } from '../../lib/schemas.ts';

// The sample pets of all tests outside test/contract: plain values. A changed field of a pet
// changes here.

/** A new pet with only its required fields, as the JSON body of a request. */
export const minimalPet = { name: 'Rex', categoryId: 7 };

/** A new pet with all its fields, as the JSON body of a request. */
export const rex = { ...minimalPet, status: 'available' } satisfies Record<
  keyof NewPet,
  unknown
> & { status: PetStatus };

/** `rex` as the handler of an operation sees it: each int64 is a `bigint`. */
const newRex: NewPet = { ...rex, categoryId: 7n };

const filterBy = (status: PetStatus) => ({ status });

/** The filter of a list by each of its values. A pet with this member shows in it. */
export const filters = petStatuses.map(filterBy);
export const rexFilter = filterBy(rex.status);
export const otherFilter = filterBy('sold');

/** The pet that storedItems.json has as it is stored. */
export const pinnedPet: NewPet = { name: '犬', categoryId: maxInt64, status: 'sold' };

/** Returns the JSON text of a pet with other or more members, with all digits: `{"name":"Rex",…}`. */
export const petText = (changed: object = {}): string => stringifyExactJson({ ...rex, ...changed });

/** Returns `rex` with another text in it. */
export const petNamed = (name: string): NewPet => ({ ...newRex, name });

export const int64Fields = Object.entries(newRex).flatMap(([name, value]) =>
  typeof value === 'bigint' ? [name] : [],
);

/** New pets with integers that only exact JSON keeps, to the limits of int64. The last has the largest. */
export const exactPets = [2n ** 53n + 1n, -(2n ** 53n) - 1n, -maxInt64 - 1n, maxInt64].map(
  (integer) => ({ ...newRex, ...Object.fromEntries(int64Fields.map((name) => [name, integer])) }),
);

/** Returns a pet as it is stored. A change to `undefined` leaves a member out. */
export function storedPet(id: bigint, changed: object = {}) {
  const item = { ...toPetItem({ id, ...newRex }, `token-of-${id}`), ...changed };
  const members = Object.entries(item).filter(([, value]) => value !== undefined);
  return { pk: `PET#${id}`, ...Object.fromEntries(members) };
}

/** Returns the JSON text of a stored pet as a response has it, digit for digit. */
export function textOfItem(item: Record<string, AttributeValue>): string {
  const members = unmarshall(item);
  const texts = Object.keys(Pet.shape)
    .filter((field) => item[field])
    .map((field) => `"${field}":${item[field]?.N ?? stringifyExactJson(members[field])}`);
  return `{${texts}}`;
}

/** Returns the digits of the id in the JSON text of a pet. */
export function idIn(text: string): string {
  return /"id":(\d+)/.exec(text)?.[1] ?? '';
}

/** Returns the JSON text of a pet without its id, as `petText` writes it. */
export function withoutId(text: string): string {
  return `{${/^\{"id":[1-9]\d*,(.+)$/s.exec(text)?.[1]}`;
}

let keyNumber = 0;

/** Returns an Idempotency-Key that no other test of the file uses. */
export const newKey = (): string => `order-${++keyNumber}`;
