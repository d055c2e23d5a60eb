import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DynamoDBClient,
  ResourceInUseException,
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
    AttributeDefinitions: attributes.map(({ name, type }) => ({
      AttributeName: name,
      AttributeType: type,
    })),
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
 * Creates the tables that an engine lacks.
 *
 * The tables have no time to live, because the embedded engine does not support it. No feature relies on it.
 */
export async function createTables(names: Record<TableName, string>): Promise<void> {
  const client = new DynamoDBClient();
  const created = mapTables((name) => createTable(client, names[name], tables[name]));
  await Promise.all(Object.values(created));
  client.destroy();
}

/** Creates a table unless it exists, and waits until it can be used. */
export async function createTable(
  client: DynamoDBClient,
  TableName: string,
  definition: TableDefinition,
): Promise<void> {
  try {
    await client.send(new CreateTableCommand(createTableInput(TableName, definition)));
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
  }
  await waitUntilTableExists(
    { client, maxWaitTime: 30, minDelay: 0.1, maxDelay: 1 },
    { TableName },
  );
}

function keySchema(partitionKey: KeyAttribute, sortKey?: KeyAttribute) {
  return [
    { AttributeName: partitionKey.name, KeyType: 'HASH' as const },
    ...(sortKey ? [{ AttributeName: sortKey.name, KeyType: 'RANGE' as const }] : []),
  ];
}
