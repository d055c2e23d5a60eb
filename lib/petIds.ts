import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { config } from './config.ts';
import { dynamoDb } from './dynamoDb.ts';
import { maxInt64 } from './int64.ts';
import { Pet } from './schemas.ts';

const CounterAttributes = z.object({ lastId: Pet.shape.id });

/**
 * Takes the next id from the atomic counter, `step` beyond the last one.
 *
 * Each id is given out at most once. The SDK repeats an update whose answer was lost, so a repeat
 * leaves a gap, and gaps are allowed. Throws where the counter is damaged or would pass int64, and
 * leaves it as it is.
 */
export async function nextPetId(step: bigint): Promise<bigint> {
  const update = new UpdateCommand({
    TableName: config.petsTableName,
    Key: { pk: 'COUNTER' },
    UpdateExpression: 'ADD lastId :step',
    // No read before: DynamoDB checks it in the same step, and it costs nothing more.
    ConditionExpression: 'attribute_not_exists(lastId) OR lastId BETWEEN :none AND :most',
    ExpressionAttributeValues: { ':step': step, ':none': 0n, ':most': maxInt64 - step },
    ReturnValues: 'UPDATED_NEW',
  });
  const { Attributes } = await dynamoDb.send(update).catch((error) => {
    throw error instanceof ConditionalCheckFailedException ? counterUnusable(step, error) : error;
  });
  return CounterAttributes.parse(Attributes).lastId;
}

/** Not 503, which asks clients to come back: nothing gets better before somebody sets the counter. */
function counterUnusable(step: bigint, cause: unknown): Error {
  return new Error(
    `The id counter gives no further id: lastId of the item COUNTER is no number from 0 to ${maxInt64 - step}. Set it to the highest id that was given out.`,
    { cause },
  );
}
