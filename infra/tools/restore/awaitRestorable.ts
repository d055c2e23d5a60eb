import { setTimeout as pause } from 'node:timers/promises';
import { DescribeContinuousBackupsCommand } from '@aws-sdk/client-dynamodb';
import type { Table } from './Table.ts';

const askEveryMs = 20_000;

/** DynamoDB is about five minutes behind. */
const longestWaitMs = 30 * 60_000;

/** Waits until a table can be restored to a moment that has only just passed. */
export async function awaitRestorable(
  { client, tableName }: Pick<Table, 'client' | 'tableName'>,
  moment: Date,
): Promise<void> {
  for (let waitedMs = 0; waitedMs <= longestWaitMs; waitedMs += askEveryMs) {
    const { ContinuousBackupsDescription } = await client.send(
      new DescribeContinuousBackupsCommand({ TableName: tableName }),
    );
    const recovery = ContinuousBackupsDescription?.PointInTimeRecoveryDescription;
    if (recovery?.PointInTimeRecoveryStatus !== 'ENABLED') {
      throw new Error(`${tableName} has no point-in-time recovery: deploy its stage again.`);
    }
    if (recovery.LatestRestorableDateTime && recovery.LatestRestorableDateTime >= moment) return;
    await pause(askEveryMs);
  }
  throw new Error(`${tableName} cannot be restored to ${moment.toISOString()} yet: try later.`);
}
