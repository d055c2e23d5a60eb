import { DynamoDB, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import * as z from 'zod';
import { type TableDefinition, tableName, tables } from '../lib/tables.ts';
import { defineCommand, print } from './command.ts';
import { copyMissingItems, ignoreError, type Table } from './copyMissingItems.ts';
import { throughProxy } from './throughProxy.ts';
import { parseStageName, useStage } from './useStage.ts';

const restorableTables = Object.entries<TableDefinition>(tables)
  .filter(([, { pointInTimeRecovery }]) => pointInTimeRecovery !== 'never')
  .map(([name]) => name as keyof typeof tables);

export const restore = defineCommand(
  'restore',
  'Copies lost items back, from a table as it was at a time. Overwrites nothing. If it stops, run it again.',
)
  .requiredOption('--stage <stage>', 'the stage, such as v1-staging', parseStageName)
  .requiredOption('--at <time>', 'a time of the last 35 days: 2026-11-20T16:00:00Z', readTime)
  .addOption(
    new Option('--table <table>', 'the table').choices(restorableTables).default('pets' as const),
  )
  .option('--dry-run', 'say what would be copied, and change nothing in the live table')
  .action(({ stage: stageName, at, table, dryRun: isDryRun = false }) =>
    useStage(stageName, async (stage) => {
      const live: Table = {
        client: new DynamoDB({
          // A failed call ends the run, and the next run compares all items again. So each call gets many attempts.
          maxAttempts: 10,
          // Sends less while DynamoDB throttles, because the service is throttled too.
          retryMode: 'adaptive',
          requestHandler: { ...throughProxy, socketTimeout: 30_000 },
        }),
        TableName: tableName(stage.name, table),
        keyName: tables[table].partitionKey.name,
      };
      const restored = await restoreTable(live, at);
      await copyMissingItems(restored, live, isDryRun);
      if (isDryRun) print('To copy the missing items, run the command without --dry-run.');
      else if (table === 'apiKeys') {
        print(`Revoke the API keys again that were revoked after ${at.toISOString()}.`);
      }
      print(`Delete the restored table when you no longer need it:
  aws dynamodb delete-table --table-name ${restored.TableName}`);
    }),
  );

/** Restores a table to a new one, named after the time, so that a second call finds it. */
async function restoreTable(live: Table, at: Date): Promise<Table> {
  const { client } = live;
  const TableName = `${live.TableName}-restored-${at.toISOString().replace(/[-:]|\.\d+/g, '')}`;
  // The lookup comes first, so that a second call finds the table even if the time is more than 35 days ago by then.
  if (await ignoreError('ResourceNotFoundException', client.describeTable({ TableName }))) {
    print(`Continuing with ${TableName}.`);
  } else {
    await client.restoreTableToPointInTime({
      SourceTableName: live.TableName,
      TargetTableName: TableName,
      RestoreDateTime: at,
      // Indexes take time and money, and a scan does not need them.
      GlobalSecondaryIndexOverride: [],
    });
    print(`Restoring ${live.TableName} to ${TableName}, in minutes to hours.`);
  }
  // Most restores take less than an hour, but DynamoDB guarantees no time.
  const waiter = { client, maxWaitTime: 6 * 60 * 60, minDelay: 20, maxDelay: 20 };
  await waitUntilTableExists(waiter, { TableName });
  return { ...live, TableName };
}

function readTime(text: string): Date {
  const time = new Date(text);
  const ageDays = (Date.now() - time.getTime()) / 86_400_000;
  // DynamoDB restores times of the last 35 days. A restore that was interrupted can continue for a week more.
  if (z.iso.datetime().safeParse(text).success && ageDays >= 0 && ageDays <= 35 + 7) return time;
  throw new InvalidArgumentError('It takes a time of the last 35 days: 2026-11-20T16:00:00Z.');
}
