import type { Pet } from './PetStoreClient.ts';

/** What `typeof` says of a value of a type. */
type TypeName<Value> = Value extends bigint ? 'bigint' : Value extends string ? 'string' : never;

/** The members of a pet; a change of the description makes this a compile error. */
const memberTypes = {
  id: 'bigint',
  name: 'string',
  categoryId: 'bigint',
  status: 'string',
} as const satisfies { [Member in keyof Required<Pet>]: TypeName<Pet[Member]> };

/** Whether a parsed JSON value is a pet; further members, of a newer service, are no objection. */
export function isPet(value: unknown): value is Pet {
  if (typeof value !== 'object' || value === null) return false;
  const members = value as Record<string, unknown>;
  return Object.entries(memberTypes).every(([name, type]) => typeof members[name] === type);
}

export function isPetArray(value: unknown): value is Pet[] {
  return Array.isArray(value) && value.every(isPet);
}
