import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { maxInt64 } from '../../lib/int64.ts';
import { localStage } from '../local/localStage.ts';
import { defineCommand, print, runCommand, UsageError } from './command.ts';
import { addStageCommand, openStageTable } from './openStageTable.ts';
import { compareTables, comparisonText, isComplete } from './restore/compareTables.ts';
import { copyBack, raiseCounter } from './restore/copyBack.ts';
import { drillRestore, newTableName, restoreTable } from './restore/restoreTable.ts';
import { findHighestId, type Table } from './restore/scanTable.ts';

const tableOption = () => new Option('--table <table>', 'the name of a restored table');

export const restore = defineCommand('restore', 'Restores the pets of a stage.').addHelpText(
  'after',
  `
npm run restore-drill is short for npm run restore -- drill. Of a pet, only its id is printed. The exit
code is 1 if the tables differ.`,
);

addStageCommand(
  restore,
  'drill',
  `restores the pets table into a new table, compares it with the live table, raises its counter above every id that was given out, and deletes it`,
)
  .option('--keep', 'keep the table; it is always kept if it differs from the live table')
  .action(({ stage, data, keep = false }) =>
    withLiveTable(stage, data, (live) =>
      drillRestore({ live, isLocal: stage === localStage.name, isKept: keep }),
    ),
  );

addStageCommand(
  restore,
  'to-point',
  'restores the pets table as it was at a moment into a new table, and prints its name',
)
  .requiredOption('--at <time>', 'a moment of the last 35 days: 2026-11-20T16:00:00Z', readMoment)
  .action(({ stage, data, at }) => {
    if (stage === localStage.name) throw new UsageError('A local engine cannot restore a table.');
    return withLiveTable(stage, data, async (live) => {
      const newTable = newTableName(live, 'restored');
      print(`Restoring ${live.tableName} as of ${at.toISOString()} to ${newTable}.`);
      await restoreTable(live, newTable, at);
      print('Restored. Continue with compare or copy-back, then delete the new table.');
      return true;
    });
  });

addStageCommand(restore, 'compare', 'compares a restored table with the live table')
  .addOption(tableOption().makeOptionMandatory())
  .action(({ stage, data, table }) =>
    withLiveTable(stage, data, async (live) => {
      const comparison = await compareTables(restoredTable(live, table), live);
      print(comparisonText(comparison));
      return isComplete(comparison);
    }),
  );

addStageCommand(
  restore,
  'copy-back',
  'copies missing pets back into the live table, with the same ids',
)
  .addOption(tableOption().makeOptionMandatory())
  .option('--replace', 'also replace pets that differ')
  .action(({ stage, data, table, replace = false }) =>
    withLiveTable(stage, data, async (live) => {
      const restored = restoredTable(live, table);
      const comparison = await compareTables(restored, live);
      print(comparisonText(comparison));
      const { missing, different, highestId } = comparison;
      // Before the copy, so that no new pet takes the id of a missing one.
      print(`The counter is at ${await raiseCounter(live, highestId)}.`);
      const keys = replace ? [...missing, ...different] : missing;
      const copied = await copyBack(restored, live, keys, { isReplacing: replace });
      print(`Copied ${copied.length} back.`);
      return copied.length === missing.length + different.length;
    }),
  );

addStageCommand(
  restore,
  'raise-counter',
  'makes new ids of the live table, or of the named table, start above the highest id that the tables hold',
)
  .alias('lift-counter') // its previous name
  .addOption(tableOption())
  .option('--above <id>', 'an id that was given out, although no table holds it', readId)
  .action(({ stage, data, table, above }) =>
    withLiveTable(stage, data, async (live) => {
      const raised = table === undefined ? live : restoredTable(live, table);
      const ids = [await findHighestId(live)];
      if (raised !== live) ids.push(await findHighestId(raised));
      if (above !== undefined) ids.push(above);
      const highestId = ids.reduce((highest, id) => (id > highest ? id : highest));
      print(`The counter of ${raised.tableName} is at ${await raiseCounter(raised, highestId)}.`);
      return true;
    }),
  );

/** Passes the live pets table of a stage to `run`, which returns whether the table is complete. */
async function withLiveTable(
  stage: string,
  folder: string,
  run: (live: Table) => Promise<boolean>,
): Promise<void> {
  const { tableName, settings, close } = await openStageTable('pets', stage, folder);
  const client = new DynamoDBClient({
    // Many attempts: after a failed page, the whole scan would have to start again.
    maxAttempts: 10,
    requestHandler: {
      connectionTimeout: 5_000,
      requestTimeout: 30_000,
      throwOnRequestTimeout: true,
    },
  });
  // A quarter of the ceiling. The rest is for the running service.
  const readUnitsPerSecond = settings ? settings.tableCeiling.readUnits / 4 : Infinity;
  try {
    if (!(await run({ client, tableName, readUnitsPerSecond }))) process.exitCode = 1;
  } finally {
    client.destroy();
    await close();
  }
}

function restoredTable(live: Table, table: string): Table {
  if (table === live.tableName) throw new UsageError('--table names the live table itself.');
  return { ...live, tableName: table };
}

function readMoment(at: string): Date {
  const moment = new Date(at);
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?Z$/.test(at) || Number.isNaN(moment.getTime())) {
    throw new InvalidArgumentError('It takes a moment such as 2026-11-20T16:00:00Z.');
  }
  return moment;
}

function readId(text: string): bigint {
  if (!/^\d{1,19}$/.test(text) || BigInt(text) > maxInt64) {
    throw new InvalidArgumentError(`It takes an id, a whole number up to ${maxInt64}.`);
  }
  return BigInt(text);
}

if (import.meta.main) await runCommand(restore);
