import { fromItem, type Item } from '../../lib/dynamodb/attributes.ts';
import { maxInt64, stringifyExactJson } from '../../lib/int64.ts';
import { type NewPet, Pet } from '../../lib/schemas.ts';

// The sample pets of all tests outside test/contract. A changed field of a pet changes here.

/** Every field, as a JSON body has it: an int64 is a number. */
type Fields = { [Field in keyof NewPet]-?: NewPet[Field] | number };

/** A new pet with only its required fields, as the JSON body of a request. */
export const minimalPet = { name: 'Rex', categoryId: 7 };

/** A new pet with all its fields, as the JSON body of a request. */
export const rex = { ...minimalPet, status: 'available' } satisfies Fields;

/** The same pet as the handler of an operation sees it: each integer is a `bigint`. */
export const newRex: NewPet = { ...rex, categoryId: 7n };

/** Integers that only exact JSON keeps. The last one is at the limit of int64. */
export const exactIntegers = [2n ** 53n + 1n, -(2n ** 53n) - 1n, -maxInt64 - 1n, maxInt64];

/** The members of a pet, by the version of the interface that added them. A released row never changes. */
export const membersByVersion = {
  '1.0.0': ['id', 'name', 'categoryId', 'status'],
};

/** The pet that storedItems.json has as it is stored. */
export const pinnedPet: NewPet = { name: '犬', categoryId: maxInt64, status: 'sold' };

/** Returns a new pet with another integer in it. Its JSON text is `petText`'s. */
export const petWithInteger = (categoryId: bigint): NewPet => ({ ...newRex, categoryId });

/** Returns the JSON text of a pet with other or more members, with all digits: `{"name":"Rex",…}`. */
export const petText = (changed: Record<string, unknown> = {}): string =>
  stringifyExactJson({ ...rex, ...changed });

/** Returns a pet as it is stored. A change to `undefined` leaves a member out. */
export function storedPet(id: bigint, changed: Record<string, unknown> = {}) {
  const { status } = { ...rex, ...changed };
  const item = { pk: `PET#${id}`, statusShard: `${status}#0`, id, ...newRex, ...changed };
  const members = Object.entries(item).filter(([, value]) => value !== undefined);
  return { pk: item.pk, ...Object.fromEntries(members) };
}

/** Returns the JSON text of a stored pet as a response has it, digit for digit. */
export function textOfItem(item: Item): string {
  const members = fromItem(item);
  return stringifyExactJson(
    Object.fromEntries(Object.keys(Pet.shape).map((field) => [field, members[field]])),
  );
}

/** Returns the JSON text of each pet of a list. */
export function petsIn(list: string): string[] {
  return list === '[]' ? [] : list.slice(1, -1).split(/(?<=\}),(?=\{"id":)/);
}

/** Returns the digits of the id in the JSON text of a pet. */
export function idIn(text: string): string {
  return /"id":(\d+)/.exec(text)?.[1] ?? '';
}

let keyNumber = 0;

/** Returns an Idempotency-Key that no other test of the file uses. */
export const newKey = (): string => `order-${++keyNumber}`;
