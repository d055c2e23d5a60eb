import { setTimeout as pause } from 'node:timers/promises';
import { DynamoDB, paginateScan, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import * as z from 'zod';
import { isInt64Text, maxInt64 } from '../../lib/int64.ts';
import { counterKey, type TableDefinition, tables } from '../../lib/tables.ts';
import { tableOutput } from '../stackNames.ts';
import { settingsOf } from '../stages.ts';
import { defineCommand, print, runCommand } from './command.ts';
import { readStackOutput } from './readStackOutput.ts';

type Table = { client: DynamoDB; TableName: string; keyName: string; readUnitsPerSecond: number };

const restorableTables = Object.entries<TableDefinition>(tables)
  .filter(([, { restorableOn }]) => restorableOn !== 'noStage')
  .map(([name]) => name as keyof typeof tables);

export const restore = defineCommand(
  'restore',
  'Copies lost items back, from a table as it was at a time. Overwrites nothing. If it stops, run it again.',
)
  .requiredOption('--stage <stage>', 'the stage, such as v1-staging')
  .requiredOption('--at <time>', 'a time of the last 35 days: 2026-11-20T16:00:00Z', readTime)
  .addOption(
    new Option('--table <table>', 'the table').choices(restorableTables).default('pets' as const),
  )
  .option('--dry-run', 'say what would be copied, and change nothing in the live table')
  .action(async ({ stage, at, table, dryRun: isDryRun }) => {
    const { tableCeiling } = settingsOf(stage);
    const live: Table = {
      // Many attempts: after a failed page, a whole scan would have to start again.
      client: new DynamoDB({
        maxAttempts: 10,
        requestHandler: { requestTimeout: 30_000, throwOnRequestTimeout: true },
      }),
      TableName: await readStackOutput(stage, tableOutput(table)),
      keyName: tables[table].partitionKey.name,
      // The rest of the ceiling is for the service.
      readUnitsPerSecond: tableCeiling.readUnits / 4,
    };
    const restored = await restoreTable(live, at);

    const [now, before] = [await readIds(live), await readIds(restored)];
    const missing = new Set(before.keys()).difference(now);
    missing.delete(counterKey);
    print(`Items missing in ${live.TableName}: ${missing.size}`);

    const ids = [...now.values(), ...before.values()];
    const lastId = ids.reduce((highest, id) => (id > highest ? id : highest), 0n);
    // A table without ids has no counter.
    if (lastId > 0n) {
      // Before the copy, so that no new item takes the id of a missing one.
      if (!isDryRun) await raiseCounter(live, lastId);
      print(`The id counter ${isDryRun ? 'would be' : 'is'} at least ${lastId}.`);
    }
    // One after the other, which leaves most of the write ceiling to the service.
    for (const key of missing) {
      if (isDryRun) print(`Would copy ${key}`);
      else if (await copyItem(key, restored, live)) print(`Copied ${key}`);
    }
    print(`Delete the restored table when you no longer need it:
  aws dynamodb delete-table --table-name ${restored.TableName}`);
  });

/** Restores a table to a new one, named after the time, so that a second call finds it. */
async function restoreTable(live: Table, at: Date): Promise<Table> {
  const { client } = live;
  const TableName = `${live.TableName}-restored-${at.toISOString().replace(/[-:]|\.\d+/g, '')}`;
  // Looked up first: a second call finds the table even if the time is no longer one of the last 35 days.
  if (await succeeds(client.describeTable({ TableName }), 'ResourceNotFoundException')) {
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

/** Reads the key of each item, with its id or the counter's last one. Another item has id 0. */
async function readIds({ client, TableName, keyName, readUnitsPerSecond }: Table) {
  const ids = new Map<string, bigint>();
  const ProjectionExpression = `${keyName}, id, lastId`;
  const input = { TableName, ProjectionExpression, ReturnConsumedCapacity: 'TOTAL' } as const;
  for await (const { Items = [], ConsumedCapacity } of paginateScan({ client }, input)) {
    for (const { [keyName]: key, id, lastId } of Items) {
      const digits = (id ?? lastId)?.N;
      // An id beyond int64 is damaged, and would leave the counter no next one.
      ids.set(key?.S ?? '', isInt64Text(digits) ? BigInt(digits) : 0n);
    }
    await pause(((ConsumedCapacity?.CapacityUnits ?? 0) / readUnitsPerSecond) * 1000);
  }
  return ids;
}

/** Raises the id counter, and repairs a damaged one. Never lowers it. */
async function raiseCounter({ client, TableName }: Table, lastId: bigint): Promise<void> {
  const update = client.updateItem({
    TableName,
    Key: { pk: { S: counterKey } },
    UpdateExpression: 'SET lastId = :lastId',
    // A damaged one is not between two numbers.
    ConditionExpression: 'attribute_not_exists(lastId) OR NOT lastId BETWEEN :lastId AND :max',
    ExpressionAttributeValues: {
      ':lastId': { N: String(lastId) },
      ':max': { N: String(maxInt64) },
    },
  });
  await succeeds(update, 'ConditionalCheckFailedException');
}

/** Copies an item as it is. Returns false if its key exists by now. */
async function copyItem(key: string, restored: Table, { client, TableName, keyName }: Table) {
  const Key = { [keyName]: { S: key } };
  const { Item } = await client.getItem({ TableName: restored.TableName, Key });
  const put = client.putItem({
    TableName,
    Item,
    ConditionExpression: `attribute_not_exists(${keyName})`,
  });
  return succeeds(put, 'ConditionalCheckFailedException');
}

/** Returns false if a call fails with this error. Throws every other error. */
async function succeeds(call: Promise<unknown>, errorName: string): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if ((error as Error).name !== errorName) throw error;
    return false;
  }
}

function readTime(text: string): Date {
  const time = new Date(text);
  const ageDays = (Date.now() - time.getTime()) / 86_400_000;
  // DynamoDB restores the last 35 days. An interrupted restore has its new table, and a week to continue.
  if (z.iso.datetime().safeParse(text).success && ageDays >= 0 && ageDays <= 35 + 7) return time;
  throw new InvalidArgumentError('It takes a time of the last 35 days: 2026-11-20T16:00:00Z.');
}

if (import.meta.main) await runCommand(restore);
