import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { config } from './config.ts';
import { dynamoDb } from './dynamoDb.ts';
import { maxInt64 } from './int64.ts';
import { Pet } from './schemas.ts';

const CounterAttributes = z.object({ lastId: Pet.shape.id });

/** Ids that this instance took from the counter and has not given out yet. */
let lease = { nextId: 1n, lastId: 0n };
let renewal: Promise<void> | undefined;
let waitingCalls = 0n;

/**
 * Returns an id that was never returned before, by this or any other instance.
 *
 * Ids are leased from the counter, `idsPerLease` at once, or as many as are waited for where those
 * are more. A lease that is lost with its instance leaves a gap, and gaps are allowed.
 */
export async function nextPetId(): Promise<bigint> {
  waitingCalls += 1n;
  try {
    while (lease.nextId > lease.lastId) {
      renewal ??= renewLease();
      await renewal;
    }
  } finally {
    waitingCalls -= 1n;
  }
  const id = lease.nextId;
  lease.nextId += 1n;
  return id;
}

/** Gives up the lease, whose ids are taken, and returns an id that is `step` beyond the counter. */
export async function nextPetIdBeyond(step: bigint): Promise<bigint> {
  lease = { nextId: 1n, lastId: 0n };
  return advanceCounter(step);
}

/**
 * Adds to the atomic counter and returns the last of the ids that this took.
 *
 * The SDK repeats an update whose answer was lost, so a repeat leaves a gap. Throws where the counter is
 * damaged or would pass int64, and leaves it as it is.
 */
export async function advanceCounter(count: bigint): Promise<bigint> {
  const update = new UpdateCommand({
    TableName: config.petsTableName,
    Key: { pk: 'COUNTER' },
    UpdateExpression: 'ADD lastId :count',
    // In the same step: a read before it would cost a round trip and prove nothing.
    ConditionExpression: 'attribute_not_exists(lastId) OR lastId BETWEEN :none AND :most',
    ExpressionAttributeValues: { ':count': count, ':none': 0n, ':most': maxInt64 - count },
    ReturnValues: 'UPDATED_NEW',
  });
  const { Attributes } = await dynamoDb.send(update).catch((error) => {
    throw error instanceof ConditionalCheckFailedException ? counterUnusable(count, error) : error;
  });
  return CounterAttributes.parse(Attributes).lastId;
}

/** Not 503, which asks clients to come back: nothing gets better before somebody sets the counter. */
function counterUnusable(count: bigint, cause: unknown): Error {
  return new Error(
    `The id counter gives no further id: lastId of the item COUNTER is no number from 0 to ${maxInt64 - count}. Set it to the highest id that was given out.`,
    { cause },
  );
}

async function renewLease(): Promise<void> {
  const count = waitingCalls > config.idsPerLease ? waitingCalls : config.idsPerLease;
  try {
    const lastId = await advanceCounter(count);
    lease = { nextId: lastId - count + 1n, lastId };
  } finally {
    renewal = undefined;
  }
}
