type KeyAttribute = { name: string; type: 'S' | 'N' };

export type TableDefinition = {
  partitionKey: KeyAttribute;
  /** The attribute with the time after which DynamoDB may delete an item, in seconds since 1970. */
  timeToLiveAttribute?: string;
  /** Global secondary indexes by name. Each projects all attributes. */
  indexes: Record<string, { partitionKey: KeyAttribute; sortKey: KeyAttribute }>;
};

/** The partition key of a pet, or `PET#*` for the keys of all pets in a permission. */
export function petKey<Id extends bigint | '*'>(id: Id): `PET#${Id}` {
  return `PET#${id}`;
}

/** The partition key of the item with the id counter. */
export const counterKey = 'COUNTER';

/**
 * The pets, by `petKey`, and the id counter.
 *
 * `statusShard` is `<status>#<id mod writeShards>`. A list of one status is a query, and a busy status
 * can be spread over several index partitions.
 */
export const petsTable = {
  partitionKey: { name: 'pk', type: 'S' },
  indexes: {
    byStatus: {
      partitionKey: { name: 'statusShard', type: 'S' },
      sortKey: { name: 'id', type: 'N' },
    },
  },
} as const satisfies TableDefinition;

/** The API keys, by their SHA-256 digest. The key itself is never stored. */
export const apiKeysTable = {
  partitionKey: { name: 'digest', type: 'S' },
  indexes: {},
} as const satisfies TableDefinition;

/** The Idempotency-Keys of the last 24 hours, each with the pet that it created. */
export const idempotencyTable = {
  partitionKey: { name: 'scopedKey', type: 'S' },
  timeToLiveAttribute: 'expiresAtEpochSeconds',
  indexes: {},
} as const satisfies TableDefinition;
