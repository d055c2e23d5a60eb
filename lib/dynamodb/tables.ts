type KeyAttribute = { name: string; type: 'S' | 'N' };

export type TableDefinition = {
  partitionKey: KeyAttribute;
  /** The attribute with the time after which DynamoDB may delete an item, in seconds since 1970. */
  timeToLiveAttribute?: string;
  /** Global secondary indexes by name. Each projects all attributes. */
  indexes: Record<string, { partitionKey: KeyAttribute; sortKey: KeyAttribute }>;
};

/**
 * Precedes the id in `pk` and the status in `statusShard` of a pet: empty for clients.
 *
 * The release check has its own, under the same permissions. No id and no status in a request can name
 * its pets.
 */
export type PetKeyPrefix = '' | typeof releaseCheckPrefix;

export const releaseCheckPrefix = 'release-check#';

/**
 * The pets: `PET#<id>` holds a pet and `COUNTER` the id counter.
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
