import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { compareTables } from './compareTables.ts';
import { comparisonText, isComplete } from './comparisonText.ts';
import { copyTable } from './copyTable.ts';
import { liftCounter } from './liftCounter.ts';
import { restoreTable } from './restoreTable.ts';
import type { Table } from './Table.ts';

type Drill = {
  live: Table;
  /** Whether the engine is one on a laptop, which cannot restore. */
  isLocal: boolean;
  at?: Date;
  isKept: boolean;
  print: (line: string) => void;
};

/**
 * Restores a table into a new one, compares the two, lifts the counter of the new one, and deletes it.
 *
 * The live table is only read. Where something differs the new one is kept, to look at and to copy
 * back from. Returns whether the restore brought back every pet as it is.
 */
export async function drillRestore({ live, isLocal, at, isKept, print }: Drill): Promise<boolean> {
  const { client } = live;
  const restored: Table = { ...live, tableName: drillTableName(live.tableName) };
  const startedAtMs = performance.now();
  print(`Restoring ${live.tableName} to ${restored.tableName}.`);
  if (isLocal) {
    await copyTable(live, restored.tableName);
    print('The engine of the local stage cannot restore a table: it was copied as it is.');
  } else {
    const moment = await restoreTable({
      client,
      from: live.tableName,
      to: restored.tableName,
      ...(at && { at }),
    });
    const minutes = Math.ceil((performance.now() - startedAtMs) / 60_000);
    print(`Restored within ${minutes} min, as of ${moment?.toISOString() ?? 'a moment ago'}.`);
  }

  const comparison = await compareTables(restored, live);
  print(comparisonText(comparison));
  const lastId = await liftCounter(restored, comparison.highestId);
  print(
    `The restored counter stood at ${comparison.restoredCounter} and was lifted to ${lastId}: the next pet there would be ${lastId + 1n}.`,
  );

  const hasPassed = isComplete(comparison);
  if (isKept || !hasPassed) {
    print(`Kept ${restored.tableName}: delete it when you are done with it.`);
  } else {
    await client.send(new DeleteTableCommand({ TableName: restored.tableName }));
    print(`Deleted ${restored.tableName}.`);
  }
  return hasPassed;
}

/** `<table>-drill-20261120T160102Z` */
function drillTableName(tableName: string): string {
  const now = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  return `${tableName}-drill-${now}`;
}
