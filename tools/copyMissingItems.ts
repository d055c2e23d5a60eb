import { setTimeout as pause } from 'node:timers/promises';
import { type AttributeValue, type DynamoDB, paginateScan } from '@aws-sdk/client-dynamodb';
import { isInt64Text } from '../lib/int64.ts';
import { counterKey } from '../lib/tables.ts';
import { print } from './command.ts';

export type Table = { client: DynamoDB; TableName: string; keyName: string };

type Item = Record<string, AttributeValue>;

/** DynamoDB's limit for a BatchGetItem. */
const maxBatchKeys = 100;

/** Copies the items that the live table lacks, and prints their keys. Only a page is in memory. */
export async function copyMissingItems(
  restored: Table,
  live: Table,
  isDryRun: boolean,
): Promise<void> {
  const outcome = isDryRun ? 'Missing' : 'Copied';
  let [compared, copied, lastId] = [0, 0, 0n];
  for await (const page of readPages(restored)) {
    // The counter comes first, so that no new item takes the id of a missing one.
    const highestId = highestIdOf(page);
    if (highestId > lastId) lastId = isDryRun ? highestId : await raiseCounter(live, highestId);
    const items = page.filter((item) => keyOf(item, live) !== counterKey);
    for (let start = 0; start < items.length; start += maxBatchKeys) {
      const missing = await findMissing(items.slice(start, start + maxBatchKeys), live);
      const copies = missing.map(async (item) => {
        if (!isDryRun && !(await copyItem(item, live))) return;
        copied += 1;
        print(`${outcome} ${keyOf(item, live)}`);
      });
      await Promise.all(copies);
    }
    compared += items.length;
    print(`Items compared: ${compared}. ${outcome}: ${copied}.`);
  }
  // A table without ids has no counter.
  if (lastId > 0n) print(`The id counter ${isDryRun ? 'would be' : 'is'} at least ${lastId}.`);
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

/** Returns the highest id of items and counter. Ignores a damaged one, or one beyond int64. */
function highestIdOf(items: Item[]): bigint {
  const ids = items.map(({ id, lastId }) => (id ?? lastId)?.N).filter(isInt64Text);
  return ids.map(BigInt).reduce((highest, id) => (id > highest ? id : highest), 0n);
}

/** Returns the items whose keys the live table lacks. */
async function findMissing(items: Item[], live: Table): Promise<Item[]> {
  const { client, TableName, keyName } = live;
  const missing = new Map(items.map((item) => [keyOf(item, live), item]));
  let Keys: Item[] = [...missing.keys()].map((key) => ({ [keyName]: { S: key } }));
  while (Keys.length > 0) {
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
async function copyItem(Item: Item, { client, TableName, keyName }: Table): Promise<boolean> {
  const ConditionExpression = `attribute_not_exists(${keyName})`;
  const put = client.putItem({ TableName, Item, ConditionExpression });
  return (await ignoreError('ConditionalCheckFailedException', put)) !== undefined;
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

/** Returns the output of a call, or undefined if it fails with this error. Throws every other error. */
export async function ignoreError<Output>(errorName: string, call: Promise<Output>) {
  return call.catch((error: Error) => {
    if (error.name !== errorName) throw error;
    return undefined;
  });
}
