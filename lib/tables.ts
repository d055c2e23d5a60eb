export type KeyAttribute = { name: string; type: 'S' | 'N' };

export type TableDefinition = {
  partitionKey: KeyAttribute;
  /** The attribute with the time after which DynamoDB may delete an item, in seconds since 1970. */
  timeToLiveAttribute?: string;
  /** Global secondary indexes by name. Each projects all attributes. */
  indexes: Record<string, { partitionKey: KeyAttribute; sortKey: KeyAttribute }>;
  /** The stages on which any second of the last 35 days can be restored. */
  pointInTimeRecovery: 'always' | 'onDurableStages' | 'never';
};

/** The partition key of a pet, or `PET#*` for the keys of all pets in a permission. */
export function petKey<Id extends bigint | '*'>(id: Id): `PET#${Id}` {
  return `PET#${id}`;
}

/** The `collection` of every pet, the partition of the list of all pets. */
export const petCollection = 'pets';

export const counterKey = 'COUNTER';

/** Every table of a stage. */
export const tables = {
  /** The pets, by `petKey`, and the id counter. Each list is one query of one index. */
  pets: {
    partitionKey: { name: 'pk', type: 'S' },
    indexes: {
      byCollection: {
        partitionKey: { name: 'collection', type: 'S' },
        sortKey: { name: 'id', type: 'N' },
      },
      byStatus: {
        partitionKey: { name: 'status', type: 'S' },
        sortKey: { name: 'id', type: 'N' },
      },
    },
    pointInTimeRecovery: 'always',
  },
  /** The API keys, by their SHA-256 digest. The key itself is never stored. */
  apiKeys: {
    partitionKey: { name: 'digest', type: 'S' },
    timeToLiveAttribute: 'deleteAfterEpochSeconds',
    indexes: {},
    pointInTimeRecovery: 'onDurableStages', // elsewhere, operators issue keys again
  },
  /** The Idempotency-Keys, each with the id and token of what its first request creates. */
  idempotency: {
    partitionKey: { name: 'scopedKey', type: 'S' },
    timeToLiveAttribute: 'expiresAtEpochSeconds',
    indexes: {},
    pointInTimeRecovery: 'never', // a loss costs only a day's safe retries
  },
} as const satisfies Record<string, TableDefinition>;

export type TableName = keyof typeof tables;

export const allTables = Object.keys(tables) as readonly TableName[];

/**
 * The name of a table in the database: `PetStore-v1-staging-ApiKeys`.
 *
 * CloudFormation refuses an update that would replace a table with a name, and a second, empty table beside
 * one that a lost stack left.
 */
export function tableName(stageName: string, name: TableName): string {
  return `PetStore-${stageName}-${name.replace(/^./, (letter) => letter.toUpperCase())}`;
}

export function mapTables<Value>(toValue: (name: TableName) => Value): Record<TableName, Value> {
  return Object.fromEntries(allTables.map((name) => [name, toValue(name)])) as Record<
    TableName,
    Value
  >;
}
