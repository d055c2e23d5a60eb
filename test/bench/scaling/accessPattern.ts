import { type PetStatus, petStatuses } from '../../../lib/schemas.ts';
import type { Place } from './KeySpace.ts';

/** The settings of a stage that decide on how its requests spread. */
export type ShardSettings = { shards: number; idsPerLease: number };

/** Keys as they stand in the table and its index. */
export type Key = { partitionKey: string; sortKey: number };

export const counterKey: Key = { partitionKey: 'COUNTER', sortKey: 0 };

/** What createPet writes: the pet, and with it its entry in the index. */
export function petKeys(
  { id, status }: { id: number; status: PetStatus },
  { shards }: ShardSettings,
): { table: Key; index: Key } {
  return {
    table: { partitionKey: `PET#${id}`, sortKey: 0 },
    index: { partitionKey: `${status}#${id % shards}`, sortKey: id },
  };
}

/** Where the queries of a list begin to read: one in each shard of each status. */
export function listKeys(
  { status, afterId = 0 }: { status?: PetStatus | undefined; afterId?: number },
  { shards }: ShardSettings,
): Key[] {
  return (status ? [status] : petStatuses).flatMap((each) =>
    Array.from({ length: shards }, (_, shard) => ({
      partitionKey: `${each}#${shard}`,
      sortKey: afterId,
    })),
  );
}

/** Hashes as evenly as DynamoDB's own hash is hoped to: FNV-1a, and a last stir. */
export function placeOf({ partitionKey, sortKey }: Key): Place {
  let hash = 0x811c9dc5;
  for (let index = 0; index < partitionKey.length; index += 1) {
    hash = Math.imul(hash ^ partitionKey.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return { hash: ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32, sortKey };
}
