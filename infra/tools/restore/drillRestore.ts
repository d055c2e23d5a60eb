import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { awaitRestorable } from './awaitRestorable.ts';
import { compareTables } from './compareTables.ts';
import { comparisonText, isComplete } from './comparisonText.ts';
import { copyTable } from './copyTable.ts';
import { liftCounter } from './liftCounter.ts';
import { newTableName } from './newTableName.ts';
import { restoreTable } from './restoreTable.ts';
import { scanTable } from './scanTable.ts';
import { keyOf, type Table } from './Table.ts';

type Drill = {
  live: Table;
  /** Whether the engine is one on a laptop, which cannot restore. */
  isLocal: boolean;
  isKept: boolean;
  print: (line: string) => void;
};

/** How wrong the clock of this machine may be: the moment is to lie behind the last pet that was seen. */
const clockToleranceMs = 60_000;

/**
 * Restores a table into a new one, compares the two, lifts the counter of the new one, and deletes it.
 *
 * The live table is only read. Its keys are noted before the moment that is restored, because an id
 * does not tell: an instance may use one long after it took it from the counter. Where something
 * differs, the new table is kept to look at. Returns whether every pet was brought back as it is.
 */
export async function drillRestore({ live, isLocal, isKept, print }: Drill): Promise<boolean> {
  const keysBefore = new Set<string>();
  for await (const items of scanTable(live)) for (const item of items) keysBefore.add(keyOf(item));

  const restored: Table = { ...live, tableName: newTableName(live.tableName, 'drill') };
  if (isLocal) {
    print(`Copying ${live.tableName} to ${restored.tableName}: a local engine cannot restore.`);
    await copyTable(live, restored.tableName);
  } else {
    const moment = new Date(Date.now() + clockToleranceMs);
    print(`Waiting until ${live.tableName} can be restored to ${moment.toISOString()}.`);
    await awaitRestorable(live, moment);
    print(`Restoring it to ${restored.tableName}.`);
    await restoreTable(live, restored.tableName, moment);
  }

  const comparison = await compareTables(restored, live);
  print(comparisonText(comparison, keysBefore));
  const lastId = await liftCounter(restored, comparison.highestId);
  print(
    `The restored counter stood at ${comparison.restoredCounter} and was lifted to ${lastId}: the next pet there would be ${lastId + 1n}.`,
  );

  const hasPassed = isComplete(comparison, keysBefore);
  if (isKept || !hasPassed) {
    print(`Kept ${restored.tableName}: delete it when you are done with it.`);
  } else {
    await live.client.send(new DeleteTableCommand({ TableName: restored.tableName }));
    print(`Deleted ${restored.tableName}.`);
  }
  return hasPassed;
}
