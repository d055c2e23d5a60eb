import { RestoreTableToPointInTimeCommand, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import type { Table } from './Table.ts';

/** DynamoDB promises no time; most restores take less than an hour. */
const longestRestoreSeconds = 6 * 60 * 60;

/**
 * Restores a table as it was at a moment, into a new table, and waits until that can be read.
 *
 * Without indexes, which take time and money and are not needed to read a table through.
 */
export async function restoreTable(
  { client, tableName }: Table,
  newTable: string,
  moment: Date,
): Promise<void> {
  await client.send(
    new RestoreTableToPointInTimeCommand({
      SourceTableName: tableName,
      TargetTableName: newTable,
      RestoreDateTime: moment,
      GlobalSecondaryIndexOverride: [],
    }),
  );
  await waitUntilTableExists(
    { client, maxWaitTime: longestRestoreSeconds, minDelay: 20, maxDelay: 60 },
    { TableName: newTable },
  );
}
