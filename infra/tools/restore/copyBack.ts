import {
  ConditionalCheckFailedException,
  GetItemCommand,
  PutItemCommand,
  type PutItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { type Item, keyOf, type Table } from './Table.ts';

/** As many as leave the service room below the write ceiling of a stage. */
const concurrentCopies = 8;

/**
 * Copies items of a restored table back into the live one, under their own keys.
 *
 * Without `isReplacing` nothing that is there is overwritten. With it, an item is replaced only as
 * long as it is what was read a moment before. Safe beside a running service, and safe to repeat.
 * Returns the keys of what was written.
 */
export async function copyBack(
  restored: Table,
  live: Table,
  keys: readonly string[],
  { isReplacing }: { isReplacing: boolean },
): Promise<string[]> {
  const written: string[] = [];
  const waiting = keys.values();
  async function copyEach() {
    for (const key of waiting) {
      const item = await readItem(restored, key);
      const current = isReplacing ? await readItem(live, key) : undefined;
      if (item && (await putItem(live, item, current))) written.push(keyOf(item));
    }
  }
  await Promise.all(Array.from({ length: concurrentCopies }, copyEach));
  return written;
}

async function readItem({ client, tableName }: Table, key: string): Promise<Item | undefined> {
  const { Item } = await client.send(
    new GetItemCommand({ TableName: tableName, Key: { pk: { S: key } }, ConsistentRead: true }),
  );
  return Item;
}

/** Returns whether it was written; false means that the table holds something else by now. */
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

/** The condition that each attribute is what was read. */
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
