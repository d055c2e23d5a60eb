import {
  ConditionalCheckFailedException,
  GetItemCommand,
  PutItemCommand,
  type PutItemCommandInput,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { counterKey, type Item, keyOf, lastIdOf, type Table } from './scanTable.ts';

/** Few enough to leave most of a stage's write ceiling to the service. */
const concurrentCopies = 8;

/**
 * Copies items of a restored table back into the live one, under the same keys.
 *
 * Without `isReplacing`, it overwrites nothing. With it, an item is replaced only if it has not
 * changed since it was read. It can run beside the service and can be retried. Returns the keys
 * that were written.
 */
export async function copyBack(
  restored: Table,
  live: Table,
  keys: readonly string[],
  { isReplacing }: { isReplacing: boolean },
): Promise<string[]> {
  const written: string[] = [];
  const remaining = keys.values();
  async function copyRemaining() {
    for (const key of remaining) {
      const item = await readItem(restored, { pk: { S: key } });
      const current = isReplacing ? await readItem(live, { pk: { S: key } }) : undefined;
      if (item && (await putItem(live, item, current))) written.push(keyOf(item));
    }
  }
  await Promise.all(Array.from({ length: concurrentCopies }, copyRemaining));
  return written;
}

/**
 * Raises the counter of a table to an id, so that the next pet gets a higher one.
 *
 * The counter is never lowered, and a damaged one is repaired. It can run beside a service that
 * takes ids. Returns the last id of the counter.
 */
export async function raiseCounter(table: Table, lastId: bigint): Promise<bigint> {
  const update = new UpdateItemCommand({
    TableName: table.tableName,
    Key: counterKey,
    UpdateExpression: 'SET lastId = :lastId',
    ConditionExpression:
      'attribute_not_exists(lastId) OR NOT attribute_type(lastId, :number) OR lastId < :lastId',
    ExpressionAttributeValues: { ':lastId': { N: String(lastId) }, ':number': { S: 'N' } },
  });
  try {
    await table.client.send(update);
    return lastId;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return lastIdOf(await readItem(table, counterKey)) ?? lastId;
  }
}

async function readItem({ client, tableName }: Table, Key: Item): Promise<Item | undefined> {
  const { Item } = await client.send(
    new GetItemCommand({ TableName: tableName, Key, ConsistentRead: true }),
  );
  return Item;
}

/** Returns false if the table holds another item under this key by now. */
async function putItem(
  { client, tableName }: Table,
  item: Item,
  current: Item | undefined,
): Promise<boolean> {
  const condition = current
    ? unchanged(current)
    : { ConditionExpression: 'attribute_not_exists(pk)' };
  try {
    await client.send(new PutItemCommand({ TableName: tableName, Item: item, ...condition }));
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}

/** The condition that every attribute still has the value that was read. */
function unchanged(item: Item): Partial<PutItemCommandInput> {
  const attributes = Object.entries(item);
  return {
    ConditionExpression: attributes.map((_, index) => `#${index} = :${index}`).join(' AND '),
    ExpressionAttributeNames: Object.fromEntries(
      attributes.map(([name], index) => [`#${index}`, name]),
    ),
    ExpressionAttributeValues: Object.fromEntries(
      attributes.map(([, value], index) => [`:${index}`, value]),
    ),
  };
}
