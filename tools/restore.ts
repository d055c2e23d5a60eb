import { DynamoDB, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import * as z from 'zod';
import { tableCeiling } from '../infra/core/tableCeiling.ts';
import { type TableDefinition, tableName, tables } from '../lib/tables.ts';
import { defineCommand, parseWholeNumber, print, runCommand } from './command.ts';
import {
  copyMissingItems,
  ignoreError,
  type LiveTable,
  rateLimit,
  type Table,
} from './copyMissingItems.ts';
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
  .option(
    '--share <percent>',
    'how much of the table ceiling it may use: the rest is for the service',
    parseWholeNumber(1, 100),
    25,
  )
  .option('--dry-run', 'say what would be copied, and change nothing in the live table')
  .action(({ stage: stageName, at, table, share, dryRun: isDryRun = false }) =>
    useStage(stageName, async (stage) => {
      const ceiling = tableCeiling(stage);
      const readUnits = (ceiling.readUnits * share) / 100;
      const writeUnits = (ceiling.writeUnits * share) / 100;
      const live: LiveTable = {
        client: new DynamoDB({
          // A failed call ends the run, and the next run compares all items again. So each call gets many attempts.
          maxAttempts: 10,
          // Sends less while DynamoDB throttles, because the service is throttled too.
          retryMode: 'adaptive',
          requestHandler: { socketTimeout: 30_000 },
        }),
        TableName: tableName(stage.name, table),
        keyName: tables[table].partitionKey.name,
        limitReads: rateLimit(readUnits),
        limitWrites: rateLimit(writeUnits),
      };
      const allowDeletions = isDryRun ? undefined : await forbidDeletions(live);
      try {
        const restored = await restoreTable(live, at);
        const items = Math.max(await countItems(live), await countItems(restored));
        print(
          `DynamoDB last counted ${items} items: comparing them takes ${durationText(items / readUnits)}, and copying all of them ${durationText(items / writeUnits)}.`,
        );

        const lastId = await copyMissingItems(restored, live, isDryRun);

        // A table without ids has no counter.
        if (lastId > 0n) {
          print(`The id counter ${isDryRun ? 'would be' : 'is'} at least ${lastId}.`);
        }
        if (isDryRun) print('To copy the missing items, run the command without --dry-run.');
        else if (table === 'apiKeys') {
          print(`Revoke the API keys again that were revoked after ${at.toISOString()}.`);
        }
        print(`Delete the restored table when you no longer need it:
  aws dynamodb delete-table --table-name ${restored.TableName}`);
      } finally {
        await allowDeletions?.();
      }
    }),
  );

/**
 * Lets nobody delete an item, which does not disturb the service, because no operation deletes one. Returns a function
 * that allows deletions again.
 */
async function forbidDeletions({ client, TableName }: Table): Promise<() => Promise<void>> {
  const { Table } = await client.describeTable({ TableName });
  const ResourceArn = Table?.TableArn;
  const statement = {
    Effect: 'Deny',
    Principal: '*',
    Action: ['dynamodb:DeleteItem', 'dynamodb:BatchWriteItem', 'dynamodb:PartiQLDelete'],
    Resource: ResourceArn,
  };
  const Policy = JSON.stringify({ Version: '2012-10-17', Statement: [statement] });
  await client.putResourcePolicy({ ResourceArn, Policy });
  print(`Nobody can delete items of ${TableName} until this command ends. If it is killed, run it again, or allow deletions:
  aws dynamodb delete-resource-policy --resource-arn ${ResourceArn}`);
  return async () => {
    await client.deleteResourcePolicy({ ResourceArn });
    print(`Items of ${TableName} can be deleted again.`);
  };
}

/** Returns how many items a table had when DynamoDB last counted them, at most about six hours ago. */
async function countItems({ client, TableName }: Table): Promise<number> {
  const { Table } = await client.describeTable({ TableName });
  return Table?.ItemCount ?? 0;
}

function durationText(seconds: number): string {
  const minutes = Math.ceil(seconds / 60) || 1;
  return minutes < 120 ? `${minutes} min` : `${(minutes / 60).toFixed(1)} h`;
}

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

if (import.meta.main) await runCommand(restore);
