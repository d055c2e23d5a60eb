import {
  ConditionalCheckFailedException,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import * as z from 'zod/mini';
import { config } from '../config.ts';
import { dynamoDbClient, readItem, writeItem } from '../dynamodb/client.ts';
import { nowEpochSeconds } from '../nowEpochSeconds.ts';
import { Pet } from '../schemas.ts';

const TableName = config.idempotencyTableName;

/** Clients may rely on a key for this long after the first response. */
const promisedSeconds = 24 * 60 * 60;

/**
 * A record outlives the promise, which covers each request that is *sent* in time.
 *
 * The first response leaves up to 10 s after its record is written (the function's time-out). A retry
 * is looked up at most 29 s after it is sent (the gateway's longest time-out). The rest covers clocks
 * that differ and rounding to whole seconds.
 */
const allowanceSeconds = 5 * 60;

/** The plan of the first request with a key, so that a later request can finish it. */
const IdempotencyRecord = z.object({
  /** The id of the API key, and the Idempotency-Key. */
  scopedKey: z.string(),
  petId: Pet.shape.id,
  /** Each request that writes the pet uses this token. */
  token: z.string(),
  /** The digest of the pet that the key was used for. */
  fingerprint: z.string(),
  expiresAtEpochSeconds: z.bigint(),
});
export type IdempotencyRecord = z.infer<typeof IdempotencyRecord>;

type Plan = Pick<IdempotencyRecord, 'scopedKey' | 'petId' | 'fingerprint'>;

/** Returns the record unless it expired. DynamoDB deletes expired records with a delay. */
export async function readValidRecord(scopedKey: string): Promise<IdempotencyRecord | undefined> {
  const record = await readRecord(scopedKey);
  return record && record.expiresAtEpochSeconds > nowEpochSeconds() ? record : undefined;
}

/** Writes the record of a new key. Returns the record that a faster request wrote, if there is one. */
export async function addRecord(plan: Plan): Promise<IdempotencyRecord | undefined> {
  const record = { ...plan, token: crypto.randomUUID(), expiresAtEpochSeconds: newExpiry() };
  const write = new PutItemCommand({
    TableName,
    Item: writeItem(record),
    ConditionExpression: 'attribute_not_exists(scopedKey) OR expiresAtEpochSeconds <= :now',
    ExpressionAttributeValues: writeItem({ ':now': nowEpochSeconds() }),
  });
  return storedRecord(record, () => dynamoDbClient.send(write));
}

/** Changes the id of a record, unless another request did. Then it returns that request's record. */
export async function changePetId(
  record: IdempotencyRecord,
  petId: bigint,
): Promise<IdempotencyRecord | undefined> {
  // No response named the old id yet, so the 24 hours begin again.
  const changed = { ...record, petId, expiresAtEpochSeconds: newExpiry() };
  const write = new UpdateItemCommand({
    TableName,
    Key: writeItem({ scopedKey: record.scopedKey }),
    UpdateExpression: 'SET petId = :petId, expiresAtEpochSeconds = :expiresAt',
    ConditionExpression: 'petId = :takenId AND #token = :token',
    ExpressionAttributeNames: { '#token': 'token' },
    ExpressionAttributeValues: writeItem({
      ':petId': petId,
      ':expiresAt': changed.expiresAtEpochSeconds,
      ':takenId': record.petId,
      ':token': record.token,
    }),
  });
  return storedRecord(changed, () => dynamoDbClient.send(write));
}

/**
 * Returns a record after it was written, or the one that another request, or a lost attempt of this
 * one, wrote first.
 *
 * It is `undefined` if that one expired and DynamoDB deleted it after the failed condition.
 */
async function storedRecord(
  record: IdempotencyRecord,
  write: () => Promise<unknown>,
): Promise<IdempotencyRecord | undefined> {
  try {
    await write();
    return record;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return readRecord(record.scopedKey);
  }
}

async function readRecord(scopedKey: string): Promise<IdempotencyRecord | undefined> {
  const { Item } = await dynamoDbClient.send(
    new GetItemCommand({ TableName, Key: writeItem({ scopedKey }), ConsistentRead: true }),
  );
  return Item && IdempotencyRecord.parse(readItem(Item));
}

function newExpiry(): bigint {
  return nowEpochSeconds() + BigInt(promisedSeconds + allowanceSeconds);
}
