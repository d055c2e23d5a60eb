import { setTimeout as pause } from 'node:timers/promises';
import {
  DeleteTableCommand,
  DescribeContinuousBackupsCommand,
  PutItemCommand,
  RestoreTableToPointInTimeCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { petsTable } from '../../../lib/dynamodb/tables.ts';
import { createTable } from '../../local/createTables.ts';
import { print } from '../command.ts';
import { compareTables, comparisonText, isComplete } from './compareTables.ts';
import { raiseCounter } from './copyBack.ts';
import { keyOf, scanTable, type Table } from './scanTable.ts';

const pollIntervalMs = 20_000;

/** DynamoDB is about five minutes behind. */
const maxWaitMs = 30 * 60_000;

/** DynamoDB guarantees no time. Most restores take less than an hour. */
const maxRestoreSeconds = 6 * 60 * 60;

/** How far the clock of this machine may be off. The restore must include every pet that was seen. */
const clockToleranceMs = 60_000;

type Drill = {
  live: Table;
  /** Whether the table is on a local engine, which cannot restore. */
  isLocal: boolean;
  isKept: boolean;
};

/**
 * Restores a table into a new one, compares both, raises the new counter, and deletes the new table.
 *
 * The live table is only read. Its keys are read before the moment of the restore. An id does not show
 * when its pet was created: an instance may use an id long after it took it from the counter.
 * If the tables differ, the new one is kept. Returns whether every pet was restored.
 */
export async function drillRestore({ live, isLocal, isKept }: Drill): Promise<boolean> {
  const earlierKeys = new Set<string>();
  for await (const items of scanTable(live)) for (const item of items) earlierKeys.add(keyOf(item));

  const restored: Table = { ...live, tableName: newTableName(live, 'drill') };
  if (isLocal) {
    print(`Copying ${live.tableName} to ${restored.tableName}: a local engine cannot restore.`);
    await copyTable(live, restored.tableName);
  } else {
    const moment = new Date(Date.now() + clockToleranceMs);
    print(`Waiting until ${live.tableName} can be restored to ${moment.toISOString()}.`);
    await waitUntilRestorable(live, moment);
    print(`Restoring it to ${restored.tableName}.`);
    await restoreTable(live, restored.tableName, moment);
  }

  const comparison = await compareTables(restored, live);
  print(comparisonText(comparison, earlierKeys));
  const lastId = await raiseCounter(restored, comparison.highestId);
  print(
    `The restored counter was at ${comparison.restoredCounter} and was raised to ${lastId}: the next pet there would be ${lastId + 1n}.`,
  );

  const hasPassed = isComplete(comparison, earlierKeys);
  if (isKept || !hasPassed) {
    print(`Kept ${restored.tableName}: delete it when you no longer need it.`);
  } else {
    await live.client.send(new DeleteTableCommand({ TableName: restored.tableName }));
    print(`Deleted ${restored.tableName}.`);
  }
  return hasPassed;
}

/**
 * Restores an earlier state of a table into a new table, and waits until the new one can be read.
 *
 * Indexes are left out: they take time and money, and a scan does not need them.
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
    { client, maxWaitTime: maxRestoreSeconds, minDelay: 20, maxDelay: 60 },
    { TableName: newTable },
  );
}

/** `<table>-<purpose>-20261120T160102Z` */
export function newTableName({ tableName }: Table, purpose: 'drill' | 'restored'): string {
  const now = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  return `${tableName}-${purpose}-${now}`;
}

/** Waits until a table can be restored to a moment that has only just passed. */
export async function waitUntilRestorable(
  { client, tableName }: Table,
  moment: Date,
): Promise<void> {
  for (let waitedMs = 0; waitedMs <= maxWaitMs; waitedMs += pollIntervalMs) {
    const { ContinuousBackupsDescription } = await client.send(
      new DescribeContinuousBackupsCommand({ TableName: tableName }),
    );
    const recovery = ContinuousBackupsDescription?.PointInTimeRecoveryDescription;
    if (recovery?.PointInTimeRecoveryStatus !== 'ENABLED') {
      throw new Error(`${tableName} has no point-in-time recovery: deploy its stage again.`);
    }
    if (recovery.LatestRestorableDateTime && recovery.LatestRestorableDateTime >= moment) return;
    await pause(pollIntervalMs);
  }
  throw new Error(`${tableName} cannot be restored to ${moment.toISOString()} yet: try later.`);
}

/** Copies the pets table of the local stage, because its engine cannot restore one. */
export async function copyTable(from: Table, to: string): Promise<void> {
  const { client } = from;
  await createTable(client, to, petsTable);
  for await (const items of scanTable(from)) {
    for (const Item of items) await client.send(new PutItemCommand({ TableName: to, Item }));
  }
}
