import {
  ConditionalCheckFailedException,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import * as z from 'zod/mini';
import { config } from '../config.ts';
import { ApiError } from '../errors.ts';
import { fromItem, toItem } from './attributes.ts';
import { dynamoDb, nowEpochSeconds } from './client.ts';
import type { leaseIds } from './ids.ts';

/** Clients may rely on a key for this long after the first response. */
const promisedSeconds = 24 * 60 * 60;

/**
 * A record outlives the promise, which covers each request that is *sent* in time.
 *
 * The first response leaves up to 10 s after its record is written (`functionSeconds`). A retry finds the
 * record at most 12 s after it is sent (`integrationSeconds`). The rest covers clocks that differ, and
 * rounding to whole seconds.
 */
const allowanceSeconds = 5 * 60;

/** The plan of the first request with a key, so that a later request can finish it. */
const IdempotencyRecord = z.object({
  scopedKey: z.string(),
  /** The id of what the request creates. The name is that of version 1.0.0, for every resource. */
  petId: z.int64().check(z.minimum(1n)),
  /** Each request that writes the item uses this token. */
  token: z.string(),
  fingerprint: z.string(),
  expiresAtEpochSeconds: z.bigint(),
});
type IdempotencyRecord = z.infer<typeof IdempotencyRecord>;

type Creation<Added> = {
  /** The Idempotency-Key with what it belongs to: the resource, if it is not the pets, and the API key. */
  scopedKey: string;
  /** The digest of what the request adds. */
  fingerprint: string;
  ids: ReturnType<typeof leaseIds>;
  /** Stores the item under its id and returns it, or `undefined` if another item has the id. */
  put: (id: bigint, token: string) => Promise<Added | undefined>;
};

/**
 * Stores a new item once for all calls with the same key within 24 hours.
 *
 * The record with the item's id and token is written before the item. So a concurrent request, or one
 * after a crash, writes the same item under the same id. Throws `idempotency_key_reused` if the key
 * was used for another item.
 */
export async function addOnce<Added>(creation: Creation<Added>): Promise<Added> {
  const { scopedKey, fingerprint, ids, put } = creation;
  let petId = await ids.nextId();
  for (let step = 2n; ; step *= 2n) {
    const record = await findOrAddRecord({ scopedKey, petId, fingerprint });
    if (record.fingerprint !== fingerprint) {
      throw new ApiError(
        'idempotency_key_reused',
        'This Idempotency-Key was used for another body within 24 hours: send a new key with a new body.',
      );
    }
    const added = await put(record.petId, record.token);
    if (added) return added;
    petId = await ids.skipTakenIds(step);
    await changeId(record, petId);
  }
}

type Plan = Pick<IdempotencyRecord, 'scopedKey' | 'petId' | 'fingerprint'>;

/**
 * Writes the record of a new key, or returns the valid record of an earlier request.
 *
 * It writes first, because most keys are new. DynamoDB deletes expired records with a delay.
 */
async function findOrAddRecord(plan: Plan): Promise<IdempotencyRecord> {
  const record = { ...plan, token: crypto.randomUUID(), expiresAtEpochSeconds: newExpiry() };
  const put = new PutItemCommand({
    TableName: config().tableNames.idempotency,
    Item: toItem(record),
    ConditionExpression: 'attribute_not_exists(scopedKey) OR expiresAtEpochSeconds <= :now',
    ExpressionAttributeValues: toItem({ ':now': nowEpochSeconds() }),
  });
  if (await meetsCondition(dynamoDb().send(put))) return record;
  // The embedded engine lacks ReturnValuesOnConditionCheckFailure. DynamoDB may have deleted the record.
  return (await readRecord(plan.scopedKey)) ?? findOrAddRecord(plan);
}

/** Changes the id of a record, unless another request did or replaced the record. */
async function changeId(record: IdempotencyRecord, petId: bigint): Promise<void> {
  const update = new UpdateItemCommand({
    TableName: config().tableNames.idempotency,
    Key: toItem({ scopedKey: record.scopedKey }),
    UpdateExpression: 'SET petId = :petId, expiresAtEpochSeconds = :expiresAt',
    ConditionExpression: 'petId = :takenId AND #token = :token',
    ExpressionAttributeNames: { '#token': 'token' },
    ExpressionAttributeValues: toItem({
      ':petId': petId,
      // No response named the old id yet, so the 24 hours begin again.
      ':expiresAt': newExpiry(),
      ':takenId': record.petId,
      ':token': record.token,
    }),
  });
  await meetsCondition(dynamoDb().send(update));
}

async function meetsCondition(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}

async function readRecord(scopedKey: string): Promise<IdempotencyRecord | undefined> {
  const read = new GetItemCommand({
    TableName: config().tableNames.idempotency,
    Key: toItem({ scopedKey }),
    ConsistentRead: true,
  });
  const { Item } = await dynamoDb().send(read);
  return Item && IdempotencyRecord.parse(fromItem(Item));
}

function newExpiry(): bigint {
  return nowEpochSeconds() + BigInt(promisedSeconds + allowanceSeconds);
}
