import type { parseArgs } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { maxInt64 } from '../../lib/int64.ts';
import { localStage } from '../local/localStage.ts';
import { openStageTable } from './openStageTable.ts';
import { compareTables } from './restore/compareTables.ts';
import { comparisonText, isComplete } from './restore/comparisonText.ts';
import { copyBack } from './restore/copyBack.ts';
import { drillRestore } from './restore/drillRestore.ts';
import { findHighestId } from './restore/findHighestId.ts';
import { liftCounter } from './restore/liftCounter.ts';
import { newTableName } from './restore/newTableName.ts';
import { restoreTable } from './restore/restoreTable.ts';
import type { Table } from './restore/Table.ts';
import { runCommand } from './runCommand.ts';

const usage = `Restores the pets of a stage, or practises it.

  npm run restore-drill           -- --stage <stage> [--keep]
  npm run restore -- to-point     --stage <stage> --at <time>
  npm run restore -- compare      --stage <stage> --table <restored table>
  npm run restore -- copy-back    --stage <stage> --table <restored table> [--replace]
  npm run restore -- lift-counter --stage <stage> [--table <restored table>] [--above <id>]

  restore-drill  restores the pets table into a new table; compares that with the live one; lifts its
                 counter above every id given out; deletes it
  to-point       restores the pets table as it was at a moment into a new table, and names that
  compare        compares a restored table with the live one
  copy-back      copies the pets that are missing back into the live table, under their own ids
  lift-counter   lets the ids of the live table, or of the one that is named, go on above the highest
                 that the tables know

  --stage    local, v1-staging or v1-production
  --at       a moment of the last 35 days, as 2026-11-20T16:00:00Z
  --keep     keep the drill's table; it is kept anyway where it differs from the live one
  --replace  replace the pets that are different, too
  --above    an id that is known to be given out, though no table has it
  --data     the data folder of the local stage    (${localStage.dataFolder})

Of a pet nothing is printed but its id. The exit code is 1 where the tables differ.`;

const options = {
  stage: { type: 'string' },
  table: { type: 'string' },
  at: { type: 'string' },
  keep: { type: 'boolean', default: false },
  replace: { type: 'boolean', default: false },
  above: { type: 'string' },
  data: { type: 'string', default: localStage.dataFolder },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];

/** Each returns whether all is well. */
const commands: Record<string, (live: Table, values: Values) => Promise<boolean>> = {
  drill(live, values) {
    const isLocal = values.stage === localStage.name;
    return drillRestore({ live, isLocal, isKept: values.keep, print });
  },

  async 'to-point'(live, values) {
    if (values.stage === localStage.name) throw new Error('A local engine cannot restore a table.');
    const moment = readMoment(values);
    const newTable = newTableName(live.tableName, 'restored');
    print(`Restoring ${live.tableName} as of ${moment.toISOString()} to ${newTable}.`);
    await restoreTable(live, newTable, moment);
    print('Restored. Go on with compare or copy-back, and delete the new table in the end.');
    return true;
  },

  async compare(live, values) {
    const comparison = await compareTables(restoredTable(live, values), live);
    print(comparisonText(comparison));
    return isComplete(comparison);
  },

  async 'copy-back'(live, values) {
    const restored = restoredTable(live, values);
    const comparison = await compareTables(restored, live);
    print(comparisonText(comparison));
    const { missing, different, highestId } = comparison;
    // First, so that no new pet takes the id of one that is about to come back.
    print(`The counter stands at ${await liftCounter(live, highestId)}.`);
    const keys = values.replace ? [...missing, ...different] : missing;
    const copied = await copyBack(restored, live, keys, { isReplacing: values.replace });
    print(`Copied ${copied.length} back.`);
    return copied.length === missing.length + different.length;
  },

  async 'lift-counter'(live, values) {
    const table = values.table === undefined ? live : restoredTable(live, values);
    const tables = table === live ? [live] : [live, table];
    const ids = await Promise.all(tables.map(findHighestId));
    if (values.above !== undefined) ids.push(readId(values.above));
    const highestId = ids.reduce((highest, each) => (each > highest ? each : highest));
    const lastId = await liftCounter(table, highestId);
    print(`The counter of ${table.tableName} stands at ${lastId}.`);
    return true;
  },
};

if (import.meta.main) process.exitCode = await restore(process.argv.slice(2));

/** Runs the command that the arguments name, and returns the exit code. */
export function restore(args: string[]): Promise<number> {
  return runCommand({ usage, options, commands, run }, args);
}

async function run(command: (typeof commands)[string], values: Values): Promise<boolean> {
  if (values.stage === undefined) throw new Error('--stage is missing.');
  const stageTable = await openStageTable('pets', values.stage, values.data);
  const { tableName, settings, close } = stageTable;
  const client = new DynamoDBClient({
    // Patient, because a throttled page is no reason to begin anew.
    maxAttempts: 10,
    requestHandler: {
      connectionTimeout: 5_000,
      requestTimeout: 30_000,
      throwOnRequestTimeout: true,
    },
  });
  // A quarter of what the table does at most; the service needs the rest.
  const readUnitsPerSecond = settings
    ? settings.tableCeiling.readUnits / 4
    : Number.POSITIVE_INFINITY;
  try {
    return await command({ client, tableName, readUnitsPerSecond }, values);
  } finally {
    client.destroy();
    await close();
  }
}

function restoredTable(live: Table, { table }: Values): Table {
  if (table === undefined) throw new Error('--table is missing: the name of the restored table.');
  if (table === live.tableName) throw new Error('--table names the live table itself.');
  return { ...live, tableName: table };
}

function readMoment({ at = '' }: Values): Date {
  const moment = new Date(at);
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?Z$/.test(at) || Number.isNaN(moment.getTime())) {
    throw new Error('--at takes a moment as 2026-11-20T16:00:00Z.');
  }
  return moment;
}

function readId(text: string): bigint {
  if (!/^\d{1,19}$/.test(text) || BigInt(text) > maxInt64) {
    throw new Error(`--above takes an id, a whole number up to ${maxInt64}.`);
  }
  return BigInt(text);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
