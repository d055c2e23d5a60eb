import { config } from '../config.ts';
import { type Item, toItem } from '../dynamodb/client.ts';
import { petKey } from '../dynamodb/tables.ts';
import { isInt64Text } from '../int64.ts';
import { type Pet, type PetStatus, petStatuses } from '../schemas.ts';

const knownStatuses = new Set<string>(petStatuses);

/** Returns the item of a new pet. The token identifies the request that writes it. */
export function toPetItem(pet: Pet, token: string): Item {
  const shard = pet.id % BigInt(config().writeShards);
  return toItem({
    ...pet,
    pk: petKey(pet.id),
    statusShard: `${pet.status}#${shard}`,
    token,
  });
}

/** Returns every partition of the index `byStatus` that holds pets of these statuses. */
export function statusShardsOf(statuses: readonly PetStatus[]): string[] {
  return statuses.flatMap((status) =>
    Array.from({ length: config().shards }, (_, shard) => `${status}#${shard}`),
  );
}

/**
 * Returns the JSON text of a stored pet, with every digit. Throws if the pet is damaged.
 *
 * Digits stay text on their way from DynamoDB to the client. `JSON.stringify` with a raw value for each
 * integer takes twice as long, and so does a loop over the fields.
 */
export function petJson(item: Item): string {
  const id = item.id?.N;
  const name = item.name?.S;
  const categoryId = item.categoryId?.N;
  const status = item.status?.S ?? '';
  if (!isInt64Text(id) || id <= '0') throw damaged(item, 'id');
  if (name === undefined) throw damaged(item, 'name');
  if (!isInt64Text(categoryId)) throw damaged(item, 'categoryId');
  if (!knownStatuses.has(status)) throw damaged(item, 'status');
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`;
}

function damaged(item: Item, field: keyof Pet): Error {
  return new Error(`The stored pet ${item.pk?.S} has no valid ${field}.`);
}
