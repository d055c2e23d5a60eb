type KeyAttribute = { name: string; type: 'S' | 'N' };

export type TableDefinition = {
  partitionKey: KeyAttribute;
  /** The attribute that holds when DynamoDB may drop an item, in whole seconds since 1970. */
  timeToLiveAttribute?: string;
  /** Global secondary indexes by name, each with all attributes projected. */
  indexes: Record<string, { partitionKey: KeyAttribute; sortKey: KeyAttribute }>;
};

/**
 * The pets: `PET#<id>` holds a pet and `COUNTER` the id counter.
 *
 * `statusShard` is `<status>#<id mod writtenShards>`, so that a list of one status is a query, and a
 * busy status can be spread over several index partitions.
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

/** The API keys, found by the SHA-256 digest of the key; the key itself is stored nowhere. */
export const apiKeysTable = {
  partitionKey: { name: 'digest', type: 'S' },
  indexes: {},
} as const satisfies TableDefinition;

/** What each Idempotency-Key of the last 24 hours was used for. */
export const idempotencyTable = {
  partitionKey: { name: 'scopedKey', type: 'S' },
  timeToLiveAttribute: 'expiresAtEpochSeconds',
  indexes: {},
} as const satisfies TableDefinition;
