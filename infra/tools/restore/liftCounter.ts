import {
  ConditionalCheckFailedException,
  GetItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { counterKey, lastIdOf, type Table } from './Table.ts';

/**
 * Lets the counter of a table go on above an id, and never sets it back.
 *
 * A damaged counter is repaired. Safe beside a service that takes ids at the same time. Returns the
 * last id that counts as given out from now on.
 */
export async function liftCounter(
  { client, tableName }: Pick<Table, 'client' | 'tableName'>,
  lastId: bigint,
): Promise<bigint> {
  const update = new UpdateItemCommand({
    TableName: tableName,
    Key: counterKey,
    UpdateExpression: 'SET lastId = :lastId',
    ConditionExpression:
      'attribute_not_exists(lastId) OR NOT attribute_type(lastId, :number) OR lastId < :lastId',
    ExpressionAttributeValues: { ':lastId': { N: String(lastId) }, ':number': { S: 'N' } },
  });
  try {
    await client.send(update);
    return lastId;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const { Item } = await client.send(
      new GetItemCommand({ TableName: tableName, Key: counterKey, ConsistentRead: true }),
    );
    return lastIdOf(Item) ?? lastId;
  }
}
