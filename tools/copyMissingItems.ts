import { setTimeout as pause } from 'node:timers/promises';
import { type AttributeValue, type DynamoDB, paginateScan } from '@aws-sdk/client-dynamodb';
import { isInt64Text } from '../lib/int64.ts';
import { counterKey } from '../lib/tables.ts';
import { print } from './command.ts';

export type Table = { client: DynamoDB; TableName: string; keyName: string };

/** The table of the service, with a limit of the units that the command uses. */
export type LiveTable = Table & Record<'limitReads' | 'limitWrites', ReturnType<typeof rateLimit>>;

type Item = Record<string, AttributeValue>;

/** DynamoDB's limit for a BatchGetItem. */
const maxBatchKeys = 100;
/** Enough to reach the limits, although each call waits for the network. */
const parallelBatches = 40;
const maxListedKeys = 100;
const progressIntervalMs = 10_000;

/**
 * Copies the items that the live table lacks. Returns the value that the id counter then has at least.
 *
 * Only a few pages are in memory, so a table can have any size.
 */
export async function copyMissingItems(
  restored: Table,
  live: LiveTable,
  isDryRun: boolean,
): Promise<bigint> {
  let [compared, copied, lastId] = [0, 0, 0n];
  const outcome = isDryRun ? 'Missing' : 'Copied';

  /** Raises the counter before each batch, so that no new item takes the id of a missing one. */
  async function* readBatches() {
    for await (const items of readPages(restored)) {
      const highestId = highestIdOf(items);
      if (highestId > lastId) {
        lastId = isDryRun ? highestId : await raiseCounter(live, highestId);
      }
      const others = items.filter((item) => keyOf(item, live) !== counterKey);
      for (let start = 0; start < others.length; start += maxBatchKeys) {
        yield others.slice(start, start + maxBatchKeys);
      }
    }
  }

  // All parallel copies take their batches from here. A failure of one copy ends the batches for all.
  const batches = readBatches();

  async function copyBatches(): Promise<void> {
    for await (const items of batches) {
      for (const item of await findMissing(items, live)) {
        if (!isDryRun && !(await copyItem(item, live))) continue;
        copied += 1;
        if (copied <= maxListedKeys) print(`${outcome} ${keyOf(item, live)}`);
        if (copied === maxListedKeys) print('Further keys are only counted.');
      }
      compared += items.length;
    }
  }

  const printProgress = () => print(`Items compared: ${compared}. ${outcome}: ${copied}.`);
  const progress = setInterval(printProgress, progressIntervalMs);
  const results = await Promise.allSettled(Array.from({ length: parallelBatches }, copyBatches));
  clearInterval(progress);
  printProgress();
  for (const result of results) if (result.status === 'rejected') throw result.reason;
  return lastId;
}

/** Reads the counter, and then all items. Unless the counter is damaged, no item has a higher id. */
async function* readPages({ client, TableName, keyName }: Table): AsyncGenerator<Item[]> {
  const Key = { [keyName]: { S: counterKey } };
  const { Item: counter } = await client.getItem({ TableName, Key });
  if (counter) yield [counter];
  for await (const { Items = [] } of paginateScan({ client }, { TableName })) yield Items;
}

function keyOf(item: Item, { keyName }: Table): string {
  return item[keyName]?.S ?? '';
}

/** Returns the highest id of items and counter. Ignores an id beyond int64, which is damaged and has no next id. */
function highestIdOf(items: Item[]): bigint {
  const ids = items.map(({ id, lastId }) => (id ?? lastId)?.N).filter(isInt64Text);
  return ids.map(BigInt).reduce((highest, id) => (id > highest ? id : highest), 0n);
}

/** Returns the items whose keys the live table lacks. */
async function findMissing(items: Item[], live: LiveTable): Promise<Item[]> {
  const { client, TableName, keyName } = live;
  const missing = new Map(items.map((item) => [keyOf(item, live), item]));
  let Keys: Item[] = [...missing.keys()].map((key) => ({ [keyName]: { S: key } }));
  while (Keys.length > 0) {
    // A read of an item of up to 4 KB takes one unit.
    await live.limitReads(Keys.length);
    const { Responses, UnprocessedKeys } = await client.batchGetItem({
      RequestItems: { [TableName]: { Keys, ProjectionExpression: keyName, ConsistentRead: true } },
    });
    for (const found of Responses?.[TableName] ?? []) missing.delete(keyOf(found, live));
    Keys = UnprocessedKeys?.[TableName]?.Keys ?? [];
    // DynamoDB throttled the rest.
    if (Keys.length > 0) await pause(1000);
  }
  return [...missing.values()];
}

/** Copies an item as it is. Returns false if the live table has its key by now. */
async function copyItem(Item: Item, live: LiveTable): Promise<boolean> {
  const put = live.client.putItem({
    TableName: live.TableName,
    Item,
    ConditionExpression: `attribute_not_exists(${live.keyName})`,
    // 'TOTAL' would add the units of the indexes, which have ceilings of their own.
    ReturnConsumedCapacity: 'INDEXES',
  });
  const output = await ignoreError('ConditionalCheckFailedException', put);
  await live.limitWrites(output?.ConsumedCapacity?.Table?.CapacityUnits);
  return output !== undefined;
}

/** Raises the id counter to at least `lastId`, and returns its value. Replaces a counter that is no int64. */
async function raiseCounter(live: Table, lastId: bigint): Promise<bigint> {
  const { client, TableName, keyName } = live;
  const Key = { [keyName]: { S: counterKey } };
  const { Item: counter } = await client.getItem({ TableName, Key, ConsistentRead: true });
  const digits = counter?.lastId?.N;
  if (isInt64Text(digits) && BigInt(digits) >= lastId) return BigInt(digits);
  const update = client.updateItem({
    TableName,
    Key,
    UpdateExpression: 'SET lastId = :lastId',
    ConditionExpression: 'attribute_not_exists(lastId) OR lastId < :lastId OR lastId = :damaged',
    ExpressionAttributeValues: {
      ':lastId': { N: String(lastId) },
      ':damaged': counter?.lastId ?? { NULL: true },
    },
  });
  const isRaised = await ignoreError('ConditionalCheckFailedException', update);
  // If the counter has changed since the read, it is read and compared again.
  return isRaised ? lastId : raiseCounter(live, lastId);
}

/** Returns a function that waits until so many units fit into a rate, which all its callers share. */
export function rateLimit(unitsPerSecond: number) {
  let freeAtMs = 0;
  return async (units = 0): Promise<void> => {
    const nowMs = performance.now();
    freeAtMs = Math.max(freeAtMs, nowMs) + (units / unitsPerSecond) * 1000;
    await pause(freeAtMs - nowMs);
  };
}

/** Returns the output of a call, or undefined if it fails with this error. Throws every other error. */
export async function ignoreError<Output>(errorName: string, call: Promise<Output>) {
  return call.catch((error: Error) => {
    if (error.name !== errorName) throw error;
    return undefined;
  });
}
