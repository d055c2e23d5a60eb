import { setTimeout as pause } from 'node:timers/promises';
import {
  type AttributeValue,
  DescribeTableCommand,
  DynamoDBClient,
  PutItemCommand,
  paginateScan,
  RestoreTableToPointInTimeCommand,
  UpdateItemCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import * as z from 'zod';
import {
  counterKey,
  type TableDefinition,
  type TableName,
  tables,
} from '../../lib/dynamodb/tables.ts';
import { isInt64Text, maxInt64 } from '../../lib/int64.ts';
import { type Stage, stages, tableOutput } from '../stages.ts';
import { defineCommand, print, runCommand } from './command.ts';
import { readStackOutput } from './readStackOutput.ts';

type Table = {
  client: DynamoDBClient;
  TableName: string;
  keyName: string;
  readUnitsPerSecond: number;
};

const restorableTables = Object.entries<TableDefinition>(tables)
  .filter(([, { restorableOn }]) => restorableOn !== 'noStage')
  .map(([name]) => name as TableName);

/** A scan leaves the rest of the read ceiling to the running service. */
const readShare = 1 / 4;

const maxShownKeys = 10;

/** DynamoDB restores the last 35 days. An interrupted restore has its new table, and a week to continue. */
const maxAgeDays = 35 + 7;

/** DynamoDB guarantees no time. Most restores take less than an hour. */
const maxRestoreSeconds = 6 * 60 * 60;

export const restore = defineCommand(
  'restore',
  'Copies lost items back, from a table as it was at a time.',
)
  .addOption(
    new Option('--stage <stage>', 'the stage')
      .choices(stages.map(({ name }) => name))
      .makeOptionMandatory(),
  )
  .requiredOption('--at <time>', 'a time of the last 35 days: 2026-11-20T16:00:00Z', readTime)
  .addOption(
    new Option('--table <table>', 'the table').choices(restorableTables).default('pets' as const),
  )
  .option('--dry-run', 'say what would be copied, and change nothing in the live table')
  .addHelpText(
    'after',
    `
The table is first restored to a new one. The copy overwrites nothing. Of an item, only its key is
printed. If the command is interrupted, run it again: it continues with the same new table.`,
  )
  .action(async ({ stage, at, table, dryRun: isDryRun }) => {
    const { tableCeiling } = stages.find(({ name }) => name === stage) as Stage;
    const live: Table = {
      client: new DynamoDBClient({
        // Many attempts: after a failed page, a whole scan would have to start again.
        maxAttempts: 10,
        requestHandler: { requestTimeout: 30_000, throwOnRequestTimeout: true },
      }),
      TableName: await readStackOutput(stage, tableOutput(table)),
      keyName: tables[table].partitionKey.name,
      readUnitsPerSecond: tableCeiling.readUnits * readShare,
    };
    const restored = await restoreTable(live, at);

    const [now, before] = [await readKeys(live), await readKeys(restored)];
    const missing = before.keys.difference(now.keys);
    missing.delete(counterKey);
    print(`Items missing in ${live.TableName}: ${missing.size}`);
    for (const key of [...missing].slice(0, maxShownKeys)) print(`  ${key}`);

    const lastId = now.highestId > before.highestId ? now.highestId : before.highestId;
    // A table without ids has no counter.
    if (lastId > 0n) {
      // Before the copy, so that no new item takes the id of a missing one.
      if (!isDryRun) await raiseCounter(live, lastId);
      print(`The id counter ${isDryRun ? 'would be' : 'is'} at least ${lastId}.`);
    }
    if (isDryRun) print('Nothing was copied.');
    else if (missing.size > 0) await copyItems(missing, restored, live);
    print(`Delete the restored table when you no longer need it:
  aws dynamodb delete-table --table-name ${restored.TableName}`);
  });

/** Restores a table to a new one, named after the time, so that a second call finds it. */
async function restoreTable(live: Table, at: Date): Promise<Table> {
  const { client } = live;
  const TableName = `${live.TableName}-restored-${at.toISOString().replace(/[-:]|\.\d+/g, '')}`;
  // Looked up first: a second call finds the table even if the time is no longer one of the last 35 days.
  const description = client.send(new DescribeTableCommand({ TableName }));
  if (await succeeds(description, 'ResourceNotFoundException')) {
    print(`Continuing with ${TableName}.`);
  } else {
    await client.send(
      new RestoreTableToPointInTimeCommand({
        SourceTableName: live.TableName,
        TargetTableName: TableName,
        RestoreDateTime: at,
        // Indexes take time and money, and a scan does not need them.
        GlobalSecondaryIndexOverride: [],
      }),
    );
    print(`Restoring ${live.TableName} to ${TableName}, in minutes to hours.`);
  }
  const patience = { client, maxWaitTime: maxRestoreSeconds, minDelay: 20, maxDelay: 20 };
  await waitUntilTableExists(patience, { TableName });
  return { ...live, TableName };
}

/** Reads the keys of all items, and the highest id of an item or the counter. */
async function readKeys(table: Table): Promise<{ keys: Set<string>; highestId: bigint }> {
  const keys = new Set<string>();
  let highestId = 0n;
  for await (const page of scan(table, `${table.keyName}, id, lastId`)) {
    for (const { [table.keyName]: key, id, lastId } of page) {
      keys.add(key?.S ?? '');
      const digits = (id ?? lastId)?.N;
      // An id beyond int64 is damaged, and would leave the counter no next one.
      if (isInt64Text(digits) && BigInt(digits) > highestId) highestId = BigInt(digits);
    }
  }
  return { keys, highestId };
}

/** Reads a table page by page, at the speed that the table allows. */
async function* scan(
  { client, TableName, readUnitsPerSecond }: Table,
  ProjectionExpression?: string,
): AsyncGenerator<Record<string, AttributeValue>[], void> {
  const pages = paginateScan(
    { client },
    { TableName, ProjectionExpression, ReturnConsumedCapacity: 'TOTAL' },
  );
  for await (const { Items = [], ConsumedCapacity } of pages) {
    yield Items;
    await pause(((ConsumedCapacity?.CapacityUnits ?? 0) / readUnitsPerSecond) * 1000);
  }
}

/** Raises the id counter, and repairs a damaged one. Never lowers it. */
async function raiseCounter({ client, TableName }: Table, lastId: bigint): Promise<void> {
  const update = new UpdateItemCommand({
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
  await succeeds(client.send(update), 'ConditionalCheckFailedException');
}

/** Copies items as they are, unless their keys exist by now. */
async function copyItems(
  missing: ReadonlySet<string>,
  restored: Table,
  { client, TableName, keyName }: Table,
): Promise<void> {
  const ConditionExpression = `attribute_not_exists(${keyName})`;
  let copied = 0;
  for await (const page of scan(restored)) {
    // One after the other, which leaves most of the write ceiling to the service.
    for (const Item of page) {
      if (!missing.has(Item[keyName]?.S ?? '')) continue;
      const put = client.send(new PutItemCommand({ TableName, Item, ConditionExpression }));
      if (await succeeds(put, 'ConditionalCheckFailedException')) copied += 1;
    }
    print(`Copied ${copied} of ${missing.size}.`);
  }
}

/** Returns false if a call fails with this error. Throws every other error. */
function succeeds(call: Promise<unknown>, errorName: string): Promise<boolean> {
  const handleError = (error: Error) => {
    if (error.name !== errorName) throw error;
    return false;
  };
  return call.then(() => true, handleError);
}

function readTime(text: string): Date {
  const time = new Date(text);
  const ageDays = (Date.now() - time.getTime()) / 86_400_000;
  if (!z.iso.datetime().safeParse(text).success || ageDays < 0 || ageDays > maxAgeDays) {
    throw new InvalidArgumentError(
      'It takes a time of the last 35 days, such as 2026-11-20T16:00:00Z.',
    );
  }
  return time;
}

if (import.meta.main) await runCommand(restore);
