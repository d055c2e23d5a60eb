import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { config } from './config.ts';
import { dynamoDb } from './dynamoDb.ts';
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
 * The SDK repeats an update whose answer was lost, so a repeat leaves a gap.
 */
export async function advanceCounter(count: bigint): Promise<bigint> {
  const { Attributes } = await dynamoDb.send(
    new UpdateCommand({
      TableName: config.petsTableName,
      Key: { pk: 'COUNTER' },
      UpdateExpression: 'ADD lastId :count',
      ExpressionAttributeValues: { ':count': count },
      ReturnValues: 'UPDATED_NEW',
    }),
  );
  return CounterAttributes.parse(Attributes).lastId;
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
