import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { config } from '../config.ts';
import { petKey } from '../dynamodb/tables.ts';
import { isInt64Text } from '../int64.ts';
import { type Pet, type PetStatus, petStatuses } from '../schemas.ts';

/** A stored item. DynamoDB sends a number as its digits, so none is rounded. */
export type Item = Record<string, AttributeValue>;

type StoredField = {
  /** DynamoDB's type: a string, or a number with all digits of an integer. */
  type: 'S' | 'N';
  /** As strict as the schema of a pet. An optional field allows `undefined`. */
  isValid: (text: string | undefined) => boolean;
};

/** How each field of a pet is stored, in the order of a response. */
const storedFields: Record<keyof Pet, StoredField> = {
  id: { type: 'N', isValid: (text) => isInt64Text(text) && text > '0' },
  name: { type: 'S', isValid: (text) => text !== undefined },
  categoryId: { type: 'N', isValid: isInt64Text },
  status: { type: 'S', isValid: (text) => petStatuses.includes(text as PetStatus) },
};

const fieldEntries = Object.entries(storedFields) as [keyof Pet, StoredField][];

/** Returns the item of a new pet. The token identifies the request that writes it. */
export function toPetItem(pet: Pet, token: string): Item {
  const shard = pet.id % BigInt(config.writeShards);
  const item: Item = {
    pk: { S: petKey(pet.id) },
    statusShard: { S: `${pet.status}#${shard}` },
    token: { S: token },
  };
  for (const [field, { type }] of fieldEntries) {
    if (pet[field] === undefined) continue;
    const text = String(pet[field]);
    item[field] = type === 'N' ? { N: text } : { S: text };
  }
  return item;
}

/** Returns every partition of the index `byStatus` that holds pets of these statuses. */
export function statusShardsOf(statuses: readonly PetStatus[]): string[] {
  return statuses.flatMap((status) =>
    Array.from({ length: config.shards }, (_, shard) => `${status}#${shard}`),
  );
}

/**
 * Returns the JSON text of a stored pet, with every digit. Throws if the pet is damaged.
 *
 * Digits stay text on their way from DynamoDB to the client. `JSON.stringify` would need a raw value
 * for each integer, and take twice as long.
 */
export function petJson(item: Item): string {
  let members = '';
  for (const [field, { type, isValid }] of fieldEntries) {
    const text = type === 'N' ? item[field]?.N : item[field]?.S;
    if (!isValid(text)) throw new Error(`The stored pet ${item.pk?.S} has no valid ${field}.`);
    if (text === undefined) continue;
    const json = type === 'N' ? text : JSON.stringify(text);
    members += members === '' ? `"${field}":${json}` : `,"${field}":${json}`;
  }
  return `{${members}}`;
}
