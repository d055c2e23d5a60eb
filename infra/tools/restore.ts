import { setTimeout as pause } from 'node:timers/promises';
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DescribeTableCommand,
  DynamoDBClient,
  PutItemCommand,
  paginateScan,
  ResourceNotFoundException,
  RestoreTableToPointInTimeCommand,
  type ScanCommandInput,
  UpdateItemCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { counterKey, petKey } from '../../lib/dynamodb/tables.ts';
import { isInt64Text, maxInt64 } from '../../lib/int64.ts';
import { outputNames, type Stage, stages } from '../stages.ts';
import { defineCommand, print, runCommand } from './command.ts';
import { readStackOutput } from './readStackOutput.ts';

/** An item as DynamoDB sends it: each number with all its digits, each attribute with its type. */
type Item = Record<string, AttributeValue>;

type Table = {
  client: DynamoDBClient;
  tableName: string;
  /** Leaves the rest of the table's read ceiling to the running service. */
  readUnitsPerSecond: number;
};

/** The share of the read ceiling that a scan takes. */
const readShare = 1 / 4;

const maxShownIds = 10;

/** DynamoDB guarantees no time. Most restores take less than an hour. */
const maxRestoreSeconds = 6 * 60 * 60;

export const restore = defineCommand(
  'restore',
  'Copies lost pets back, from the pets table as it was at a time.',
)
  .addOption(
    new Option('--stage <stage>', 'the stage')
      .choices(stages.map(({ name }) => name))
      .makeOptionMandatory(),
  )
  .requiredOption('--at <time>', 'a time of the last 35 days: 2026-11-20T16:00:00Z', readTime)
  .option('--dry-run', 'say what would be copied, and change nothing in the live table')
  .addHelpText(
    'after',
    `
The table is first restored to a new one. The copy overwrites nothing. Of a pet, only its id is
printed. If the command is interrupted, run it again: it continues with the same new table.`,
  )
  .action(async ({ stage, at, dryRun: isDryRun = false }) => {
    const { tableCeiling } = stages.find(({ name }) => name === stage) as Stage;
    const tableName = await readStackOutput(stage, outputNames.petsTable);
    const client = new DynamoDBClient({
      // Many attempts: after a failed page, a whole scan would have to start again.
      maxAttempts: 10,
      requestHandler: {
        connectionTimeout: 5_000,
        requestTimeout: 30_000,
        throwOnRequestTimeout: true,
      },
    });
    const live = { client, tableName, readUnitsPerSecond: tableCeiling.readUnits * readShare };
    try {
      const restored = await requestRestore(live, at);
      await waitUntilRestored(client, restored);
      await copyMissingPets({ ...live, tableName: restored }, live, isDryRun);
      print(`Delete the restored table when you no longer need it:
  aws dynamodb delete-table --table-name ${restored}`);
    } finally {
      client.destroy();
    }
  });

/** Requests a restore to a new table, named after the time, so that a second call finds it. */
async function requestRestore({ client, tableName }: Table, at: Date): Promise<string> {
  const restored = `${tableName}-restored-${at.toISOString().replace(/[-:]|\.\d+/g, '')}`;
  // Looked up first: a second call finds the table even if the time is no longer one of the last 35 days.
  const description = client.send(new DescribeTableCommand({ TableName: restored }));
  if (await succeeds(description, ResourceNotFoundException)) {
    print(`Continuing with ${restored}.`);
    return restored;
  }
  await client.send(
    new RestoreTableToPointInTimeCommand({
      SourceTableName: tableName,
      TargetTableName: restored,
      RestoreDateTime: at,
      // Indexes take time and money, and a scan does not need them.
      GlobalSecondaryIndexOverride: [],
    }),
  );
  print(`Restoring ${tableName} as of ${at.toISOString()} to ${restored}.`);
  return restored;
}

async function waitUntilRestored(client: DynamoDBClient, TableName: string): Promise<void> {
  const startedAtMs = Date.now();
  const progress = setInterval(() => {
    print(`Still restoring after ${Math.round((Date.now() - startedAtMs) / 60_000)} min.`);
  }, 60_000);
  const patience = { client, maxWaitTime: maxRestoreSeconds, minDelay: 20, maxDelay: 20 };
  await waitUntilTableExists(patience, { TableName }).finally(() => clearInterval(progress));
}

async function copyMissingPets(restored: Table, live: Table, isDryRun: boolean): Promise<void> {
  const [now, before] = [await readIds(live), await readIds(restored)];
  const missing = before.pets.difference(now.pets);
  print(
    `${missing.size} of ${before.pets.size} pets are missing in ${live.tableName}${idList(missing)}.`,
  );
  const lastId = now.highest > before.highest ? now.highest : before.highest;
  const counter = `The counter is at ${now.counter ?? 'no number'}`;
  if (isDryRun) {
    print(`${counter} and would be at ${lastId} or above. Nothing was copied.`);
    return;
  }
  // Before the copy, so that no new pet takes the id of a missing one.
  const isRaised = await raiseCounter(live, lastId);
  print(isRaised ? `${counter} and was raised to ${lastId}.` : `${counter}, above every id.`);
  if (missing.size === 0) return;
  let [copied, skipped] = [0, 0];
  for await (const page of scan(restored)) {
    // One after the other, which leaves most of the write ceiling to the service.
    for (const item of page) {
      if (!missing.has(petIdOf(item.pk) ?? 0n)) continue;
      if (await copy(item, live)) copied += 1;
      else skipped += 1;
    }
    print(`Copied ${copied} of ${missing.size}.`);
  }
  if (skipped > 0) print(`${skipped} exist by now and were not overwritten.`);
}

type Ids = {
  pets: Set<bigint>;
  /** Undefined if the counter is missing or damaged. */
  counter: bigint | undefined;
  /** The highest id of a pet or the counter. */
  highest: bigint;
};

async function readIds(table: Table): Promise<Ids> {
  const pets = new Set<bigint>();
  let counter: bigint | undefined;
  for await (const page of scan(table, { ProjectionExpression: 'pk, lastId' })) {
    for (const { pk, lastId } of page) {
      const petId = petIdOf(pk);
      if (petId !== undefined) pets.add(petId);
      if (pk?.S === counterKey) counter = readId(lastId?.N);
    }
  }
  let highest = counter ?? 0n;
  for (const id of pets) if (id > highest) highest = id;
  return { pets, counter, highest };
}

/** Reads a table page by page, at the speed that the table allows. */
async function* scan(
  { client, tableName, readUnitsPerSecond }: Table,
  input: Partial<ScanCommandInput> = {},
): AsyncGenerator<Item[], void> {
  const pages = paginateScan(
    { client },
    { ...input, TableName: tableName, ReturnConsumedCapacity: 'TOTAL' },
  );
  for await (const { Items = [], ConsumedCapacity } of pages) {
    yield Items;
    await pause(((ConsumedCapacity?.CapacityUnits ?? 0) / readUnitsPerSecond) * 1000);
  }
}

/** Copies an item, unless its key exists. Returns whether it did. */
function copy(Item: Item, { client, tableName: TableName }: Table): Promise<boolean> {
  const isFree = 'attribute_not_exists(pk)';
  const put = new PutItemCommand({ TableName, Item, ConditionExpression: isFree });
  return succeeds(client.send(put), ConditionalCheckFailedException);
}

/**
 * Raises the counter of a table to an id, so that the next pet gets a higher one.
 *
 * It never lowers the counter, and repairs a damaged one. Returns whether it wrote the counter.
 */
function raiseCounter({ client, tableName }: Table, lastId: bigint): Promise<boolean> {
  const update = new UpdateItemCommand({
    TableName: tableName,
    Key: { pk: { S: counterKey } },
    UpdateExpression: 'SET lastId = :lastId',
    // A damaged one is not between two numbers.
    ConditionExpression: 'attribute_not_exists(lastId) OR NOT lastId BETWEEN :lastId AND :max',
    ExpressionAttributeValues: {
      ':lastId': { N: String(lastId) },
      ':max': { N: String(maxInt64) },
    },
  });
  return succeeds(client.send(update), ConditionalCheckFailedException);
}

/** Returns false if a call is refused with this error. Throws every other error. */
async function succeeds(
  call: Promise<unknown>,
  Refusal: typeof ResourceNotFoundException | typeof ConditionalCheckFailedException,
): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

/** Returns the id in the key of a pet, or undefined for any other key. */
function petIdOf(pk: AttributeValue | undefined): bigint | undefined {
  const id = readId(/\d+$/.exec(pk?.S ?? '')?.[0]) ?? 0n;
  return id > 0n && petKey(id) === pk?.S ? id : undefined;
}

/** An id beyond int64 would leave the counter no next one. */
function readId(digits: string | undefined): bigint | undefined {
  return isInt64Text(digits) && BigInt(digits) >= 0n ? BigInt(digits) : undefined;
}

function idList(ids: ReadonlySet<bigint>): string {
  if (ids.size === 0) return '';
  const shown = [...ids].sort((one, other) => (one < other ? -1 : 1)).slice(0, maxShownIds);
  return `: ${shown.join(', ')}${ids.size > maxShownIds ? ', …' : ''}`;
}

function readTime(text: string): Date {
  const time = new Date(text);
  const isTime = /^[\d-]{10}T\d\d:\d\d(:\d\d)?Z$/.test(text) && !Number.isNaN(time.getTime());
  // 30 February would be a day of March.
  if (!isTime || !time.toISOString().startsWith(text.slice(0, 'YYYY-MM-DD'.length))) {
    throw new InvalidArgumentError('It takes a time such as 2026-11-20T16:00:00Z.');
  }
  return time;
}

if (import.meta.main) await runCommand(restore);
