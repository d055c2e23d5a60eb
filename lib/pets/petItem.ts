import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { config } from '../config.ts';
import { writeItem } from '../dynamodb/client.ts';
import { petKey } from '../dynamodb/tables.ts';
import { isInt64Text } from '../int64.ts';
import { type Pet, type PetStatus, petStatuses } from '../schemas.ts';

/** A stored item. DynamoDB sends a number as its digits, so none is rounded. */
export type Item = Record<string, AttributeValue>;

const knownStatuses = new Set<string>(petStatuses);

/** Returns the item of a new pet. The token identifies the request that writes it. */
export function toPetItem(pet: Pet, token: string): Item {
  const shard = pet.id % BigInt(config.writeShards);
  return writeItem({
    ...pet,
    pk: petKey(pet.id),
    statusShard: `${pet.status}#${shard}`,
    token,
  });
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
 * for each integer, and a loop over the fields takes half as long again.
 */
export function petJson(item: Item): string {
  return (
    `{"id":${readPositiveInt64(item, 'id')}` +
    `,"name":${JSON.stringify(readText(item, 'name'))}` +
    `,"categoryId":${readInt64(item, 'categoryId')}` +
    `,"status":"${readStatus(item, 'status')}"}`
  );
}

function readPositiveInt64(item: Item, field: keyof Pet): string {
  const digits = readInt64(item, field);
  if (digits > '0') return digits;
  throw damaged(item, field);
}

function readInt64(item: Item, field: keyof Pet): string {
  const digits = item[field]?.N;
  if (isInt64Text(digits)) return digits;
  throw damaged(item, field);
}

function readText(item: Item, field: keyof Pet): string {
  const text = item[field]?.S;
  if (text !== undefined) return text;
  throw damaged(item, field);
}

function readStatus(item: Item, field: keyof Pet): string {
  const text = readText(item, field);
  if (knownStatuses.has(text)) return text;
  throw damaged(item, field);
}

function damaged(item: Item, field: keyof Pet): Error {
  return new Error(`The stored pet ${item.pk?.S} has no valid ${field}.`);
}
