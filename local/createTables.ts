import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  DynamoDBClient,
  paginateListTables,
  ResourceInUseException,
  type TableDescription,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import {
  type KeyAttribute,
  mapTables,
  type TableDefinition,
  type TableName,
  tables,
} from '../lib/tables.ts';

/** Translates a table definition to the DynamoDB API. */
export function createTableInput(
  TableName: string,
  { partitionKey, indexes }: TableDefinition,
): CreateTableCommandInput {
  const indexEntries = Object.entries(indexes);
  const attributes = [
    partitionKey,
    ...indexEntries.flatMap(([, index]) => [index.partitionKey, index.sortKey]),
  ];
  return {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    // Two indexes may share an attribute.
    AttributeDefinitions: [...new Map(attributes.map((each) => [each.name, each.type]))].map(
      ([AttributeName, AttributeType]) => ({ AttributeName, AttributeType }),
    ),
    KeySchema: keySchema(partitionKey),
    ...(indexEntries.length > 0 && {
      GlobalSecondaryIndexes: indexEntries.map(([IndexName, index]) => ({
        IndexName,
        KeySchema: keySchema(index.partitionKey, index.sortKey),
        Projection: { ProjectionType: 'ALL' },
      })),
    }),
  };
}

/**
 * Creates the tables that an engine lacks. Throws if one has other keys or lacks an index.
 *
 * The tables have no time to live, because the embedded engine does not support it. No feature relies on it.
 */
export async function createTables(names: Record<TableName, string>): Promise<void> {
  const client = new DynamoDBClient();
  const created = mapTables((name) => createTable(client, names[name], tables[name]));
  await Promise.all(Object.values(created));
  client.destroy();
}

/** Returns the names of the tables of an engine that this version does not know. */
export async function unknownTables(names: Record<TableName, string>): Promise<string[]> {
  const pages = await Array.fromAsync(paginateListTables({ client: new DynamoDBClient() }, {}));
  const found = new Set(pages.flatMap(({ TableNames = [] }) => TableNames));
  return [...found.difference(new Set(Object.values(names)))];
}

/** Creates a table unless it exists, and waits until it can be used. */
export async function createTable(
  client: DynamoDBClient,
  TableName: string,
  definition: TableDefinition,
): Promise<void> {
  const input = createTableInput(TableName, definition);
  try {
    await client.send(new CreateTableCommand(input));
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
    const { Table = {} } = await client.send(new DescribeTableCommand({ TableName }));
    if (!keysOf(input).isSubsetOf(keysOf(Table))) {
      throw new Error(
        `The table ${TableName} is of another version, with other keys or indexes. Delete the data folder, by default .petstore/, with its pets and its API key.`,
      );
    }
  }
  await waitUntilTableExists(
    { client, maxWaitTime: 30, minDelay: 0.1, maxDelay: 1 },
    { TableName },
  );
}

/** The attributes that are keys of a table, and the keys of its indexes, as texts that can be compared. */
function keysOf({ AttributeDefinitions = [], GlobalSecondaryIndexes = [] }: TableDescription) {
  return new Set([
    ...AttributeDefinitions.map((key) => `${key.AttributeName}: ${key.AttributeType}`),
    ...GlobalSecondaryIndexes.map(
      ({ IndexName, KeySchema = [] }) =>
        `${IndexName}: ${KeySchema.map((key) => key.AttributeName)}`,
    ),
  ]);
}

function keySchema(partitionKey: KeyAttribute, sortKey?: KeyAttribute) {
  return [
    { AttributeName: partitionKey.name, KeyType: 'HASH' as const },
    ...(sortKey ? [{ AttributeName: sortKey.name, KeyType: 'RANGE' as const }] : []),
  ];
}
