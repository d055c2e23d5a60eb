import {
  type DynamoDBClient,
  RestoreTableToPointInTimeCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';

type Restore = {
  client: DynamoDBClient;
  from: string;
  to: string;
  /** Absent: the latest moment that can be restored, about five minutes ago. */
  at?: Date;
};

/** DynamoDB promises no time; most restores take less than an hour. */
const longestRestoreSeconds = 6 * 60 * 60;

/**
 * Restores a table as it was at a moment, into a new table, and waits until that can be read.
 *
 * Without indexes, for none is needed to read a table through. Returns the moment.
 */
export async function restoreTable({ client, from, to, at }: Restore): Promise<Date | undefined> {
  const command = new RestoreTableToPointInTimeCommand({
    SourceTableName: from,
    TargetTableName: to,
    ...(at ? { RestoreDateTime: at } : { UseLatestRestorableTime: true }),
    GlobalSecondaryIndexOverride: [],
  });
  const { TableDescription } = await client.send(command);
  await waitUntilTableExists(
    { client, maxWaitTime: longestRestoreSeconds, minDelay: 20, maxDelay: 60 },
    { TableName: to },
  );
  return TableDescription?.RestoreSummary?.RestoreDateTime ?? at;
}
