import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { config } from './config.ts';
import { dynamoDb } from './dynamoDb.ts';
import { Pet } from './schemas.ts';

const CounterAttributes = z.object({ lastId: Pet.shape.id });

/**
 * Takes the next id from the atomic counter, `step` beyond the last one.
 *
 * Each id is given out at most once. The SDK repeats an update whose answer was lost, so a repeat
 * leaves a gap, and gaps are allowed.
 */
export async function nextPetId(step: bigint): Promise<bigint> {
  const { Attributes } = await dynamoDb.send(
    new UpdateCommand({
      TableName: config.petsTableName,
      Key: { pk: 'COUNTER' },
      UpdateExpression: 'ADD lastId :step',
      ExpressionAttributeValues: { ':step': step },
      ReturnValues: 'UPDATED_NEW',
    }),
  );
  return CounterAttributes.parse(Attributes).lastId;
}
