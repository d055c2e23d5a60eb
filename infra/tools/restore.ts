import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { maxInt64 } from '../../lib/int64.ts';
import { localStage } from '../local/localStage.ts';
import { openStageTable } from './openStageTable.ts';
import { compareTables, comparisonText, isComplete } from './restore/compareTables.ts';
import { copyBack, raiseCounter } from './restore/copyBack.ts';
import { drillRestore, newTableName, restoreTable } from './restore/restoreTable.ts';
import { findHighestId, type Table } from './restore/scanTable.ts';
import { findCommand, print, required, runCommand, type Values } from './runCommand.ts';

const usage = `Restores the pets of a stage, or practises a restore.

  npm run restore-drill            -- --stage <stage> [--keep]
  npm run restore -- to-point      --stage <stage> --at <time>
  npm run restore -- compare       --stage <stage> --table <restored table>
  npm run restore -- copy-back     --stage <stage> --table <restored table> [--replace]
  npm run restore -- raise-counter --stage <stage> [--table <restored table>] [--above <id>]

  restore-drill  restores the pets table into a new table, compares it with the live table, raises
                 its counter above every id that was given out, and deletes it
  to-point       restores the pets table as it was at a moment into a new table, and prints its name
  compare        compares a restored table with the live table
  copy-back      copies missing pets back into the live table, with the same ids
  raise-counter  makes new ids of the live table, or of the named table, start above the highest id
                 that the tables hold (lift-counter is its previous name)

  --stage    local, v1-staging or v1-production
  --at       a moment of the last 35 days, such as 2026-11-20T16:00:00Z
  --table    the name of a restored table
  --keep     keep the table of the drill; it is always kept if it differs from the live table
  --replace  also replace pets that differ
  --above    an id that was given out, although no table holds it
  --data     the data folder of the local stage    (${localStage.dataFolder})

Of a pet, only its id is printed. The exit code is 1 if the tables differ.`;

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

/** Returns whether the live table has everything that it should have. */
type Command = (live: Table, values: Values<typeof options>) => Promise<boolean>;

const raiseStageCounter: Command = async (live, { table, above }) => {
  const raised = table === undefined ? live : restoredTable(live, table);
  const ids = [await findHighestId(live)];
  if (raised !== live) ids.push(await findHighestId(raised));
  if (above !== undefined) ids.push(readId(above));
  const highestId = ids.reduce((highest, id) => (id > highest ? id : highest));
  print(`The counter of ${raised.tableName} is at ${await raiseCounter(raised, highestId)}.`);
  return true;
};

const commands: Record<string, Command> = {
  drill(live, { stage, keep }) {
    return drillRestore({ live, isLocal: stage === localStage.name, isKept: keep });
  },

  async 'to-point'(live, { stage, at }) {
    if (stage === localStage.name) throw new Error('A local engine cannot restore a table.');
    const moment = readMoment(at);
    const newTable = newTableName(live, 'restored');
    print(`Restoring ${live.tableName} as of ${moment.toISOString()} to ${newTable}.`);
    await restoreTable(live, newTable, moment);
    print('Restored. Continue with compare or copy-back, then delete the new table.');
    return true;
  },

  async compare(live, { table }) {
    const comparison = await compareTables(restoredTable(live, table), live);
    print(comparisonText(comparison));
    return isComplete(comparison);
  },

  async 'copy-back'(live, { table, replace }) {
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
  },

  'raise-counter': raiseStageCounter,
  'lift-counter': raiseStageCounter,
};

if (import.meta.main) process.exitCode = await restore(process.argv.slice(2));

/** Runs `npm run restore` with these arguments. Returns the exit code. */
export function restore(args: string[]): Promise<number> {
  return runCommand({ usage, options, run }, args);
}

async function run(values: Values<typeof options>, positionals: string[]): Promise<boolean> {
  const command = findCommand(commands, positionals, usage);
  const stage = required('stage', values.stage);
  const { tableName, settings, close } = await openStageTable('pets', stage, values.data);
  const client = new DynamoDBClient({
    // Patient: a throttled page is no reason to start again.
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
    return await command({ client, tableName, readUnitsPerSecond }, values);
  } finally {
    client.destroy();
    await close();
  }
}

function restoredTable(live: Table, table: string | undefined): Table {
  if (table === undefined) throw new Error('--table is missing: the name of the restored table.');
  if (table === live.tableName) throw new Error('--table names the live table itself.');
  return { ...live, tableName: table };
}

function readMoment(at = ''): Date {
  const moment = new Date(at);
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?Z$/.test(at) || Number.isNaN(moment.getTime())) {
    throw new Error('--at takes a moment such as 2026-11-20T16:00:00Z.');
  }
  return moment;
}

function readId(text: string): bigint {
  if (!/^\d{1,19}$/.test(text) || BigInt(text) > maxInt64) {
    throw new Error(`--above takes an id, a whole number up to ${maxInt64}.`);
  }
  return BigInt(text);
}
