import { hash } from 'node:crypto';
import {
  ConditionalCheckFailedException,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import * as z from 'zod/mini';
import { config } from '../config.ts';
import { dynamoDb, fromItem, nowEpochSeconds, toItem } from '../dynamodb/client.ts';
import { ApiError } from '../errors.ts';
import { stringifyExactJson } from '../int64.ts';
import type { Log } from '../logging.ts';
import { type NewPet, Pet } from '../schemas.ts';
import { nextPetId, skipTakenIds } from './petIds.ts';
import { type AddedPet, putNewPet } from './petStore.ts';

/** Clients may rely on a key for this long after the first response. */
const promisedSeconds = 24 * 60 * 60;

/**
 * A record outlives the promise, which covers each request that is *sent* in time.
 *
 * The first response leaves up to 10 s after its record is written (the function's time-out). A retry
 * finds the record at most 29 s after it is sent (the gateway's longest time-out). The rest covers
 * clocks that differ and rounding to whole seconds.
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
type IdempotencyRecord = z.infer<typeof IdempotencyRecord>;

/** An Idempotency-Key and the API key that it belongs to. */
type Scope = { apiKeyId: string; idempotencyKey: string };

/**
 * Stores a new pet once for all calls with the same key within 24 hours.
 *
 * The record with the pet's id and token is written before the pet. So a concurrent request, or one
 * after a crash, writes the same item under the same id. Throws `idempotency_key_reused` if the key
 * was used for another pet.
 */
export async function addPetOnce(
  newPet: NewPet,
  { apiKeyId, idempotencyKey }: Scope,
  log: Log,
): Promise<AddedPet> {
  const scopedKey = `${apiKeyId}#${idempotencyKey}`;
  const fingerprint = fingerprintOf(newPet);
  let petId = await nextPetId();
  for (let step = 2n; ; step *= 2n) {
    const record = await findOrAddRecord({ scopedKey, petId, fingerprint });
    if (record.fingerprint !== fingerprint) {
      throw new ApiError(
        'idempotency_key_reused',
        'This Idempotency-Key was used for another body within 24 hours: send a new key with a new body.',
      );
    }
    const pet = await putNewPet({ id: record.petId, ...newPet }, record.token, log);
    if (pet) return pet;
    petId = await skipTakenIds(step);
    await changePetId(record, petId);
  }
}

/**
 * Hashes the validated body: the order of members or an omitted default make no difference.
 *
 * Records of earlier releases must stay valid. So a later field counts only if the request has it.
 */
function fingerprintOf({ name, categoryId, status, ...laterFields }: NewPet): string {
  const fields = [name, categoryId, status, ...Object.entries(laterFields)];
  return hash('sha256', stringifyExactJson(fields), 'hex');
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
    TableName: config().idempotencyTableName,
    Item: toItem(record),
    ConditionExpression: 'attribute_not_exists(scopedKey) OR expiresAtEpochSeconds <= :now',
    ExpressionAttributeValues: toItem({ ':now': nowEpochSeconds() }),
  });
  if (await meetsCondition(dynamoDb().send(put))) return record;
  // The embedded engine lacks ReturnValuesOnConditionCheckFailure. DynamoDB may have deleted the record.
  return (await readRecord(plan.scopedKey)) ?? findOrAddRecord(plan);
}

/** Changes the id of a record, unless another request did or replaced the record. */
async function changePetId(record: IdempotencyRecord, petId: bigint): Promise<void> {
  const update = new UpdateItemCommand({
    TableName: config().idempotencyTableName,
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
    TableName: config().idempotencyTableName,
    Key: toItem({ scopedKey }),
    ConsistentRead: true,
  });
  const { Item } = await dynamoDb().send(read);
  return Item && IdempotencyRecord.parse(fromItem(Item));
}

function newExpiry(): bigint {
  return nowEpochSeconds() + BigInt(promisedSeconds + allowanceSeconds);
}
