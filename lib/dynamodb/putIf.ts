import {
  ConditionalCheckFailedException,
  PutItemCommand,
  type PutItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { config } from '../config.ts';
import type { TableName } from '../tables.ts';
import type { Item } from './attributes.ts';
import { dynamoDb } from './client.ts';

type Condition = Pick<PutItemCommandInput, 'ConditionExpression' | 'ExpressionAttributeValues'>;

/**
 * Puts an item if the stored one meets a condition, and otherwise returns the stored one.
 *
 * The condition must be true if nothing is stored. So an engine that does not return the stored item
 * causes an error, never a wrong decision.
 */
export async function putIf(
  table: TableName,
  item: Item,
  condition: Condition,
): Promise<Item | undefined> {
  const put = new PutItemCommand({
    TableName: config().tableNames[table],
    Item: item,
    ...condition,
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  try {
    await dynamoDb().send(put);
    return undefined;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException && error.Item) return error.Item;
    throw error;
  }
}
