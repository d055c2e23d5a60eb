import { hash } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { config } from '../config.ts';
import { documentClient } from '../dynamodb/client.ts';
import type { PetKeyPrefix } from '../dynamodb/tables.ts';
import { ApiError } from '../errors.ts';
import { stringifyExactJson } from '../exactJson.ts';
import { nowEpochSeconds } from '../nowEpochSeconds.ts';
import { type NewPet, Pet } from '../schemas.ts';
import { nextPetId, nextPetIdBeyond } from './petIds.ts';
import { putNewPet } from './petStore.ts';

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
  petId: Pet.shape.id,
  /** Each request that writes the pet uses this token. */
  token: z.string(),
  fingerprint: z.string(),
  expiresAtEpochSeconds: z.bigint(),
});
type IdempotencyRecord = z.infer<typeof IdempotencyRecord>;

/** An Idempotency-Key and the API key that it belongs to. */
type Scope = { apiKeyId: string; idempotencyKey: string; petKeyPrefix: PetKeyPrefix };

/**
 * Stores a new pet once for all calls with the same key within 24 hours.
 *
 * The record with the pet's id and token is written before the pet. So a concurrent request, or one
 * after a crash, writes the same item under the same id. Throws `idempotency_key_reused` if the key
 * was used for another pet.
 */
export async function addPetOnce(newPet: NewPet, scope: Scope): Promise<Pet> {
  const scopedKey = `${scope.apiKeyId}#${scope.idempotencyKey}`;
  const fingerprint = fingerprintOf(newPet);
  let record = (await validRecord(scopedKey)) ?? (await reserve(scopedKey, fingerprint));
  for (let step = 2n; ; step *= 2n) {
    if (record.fingerprint !== fingerprint) {
      throw new ApiError(
        'idempotency_key_reused',
        'This Idempotency-Key was used for another body within 24 hours: send a new key with a new body.',
      );
    }
    const pet = { id: record.petId, ...newPet };
    if (await putNewPet(pet, record.token, scope.petKeyPrefix)) return pet;
    record = await changeId(scopedKey, record, step);
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

/** Returns the record unless it expired. DynamoDB deletes expired records with a delay. */
async function validRecord(scopedKey: string): Promise<IdempotencyRecord | undefined> {
  const record = await readRecord(scopedKey);
  return record && record.expiresAtEpochSeconds > nowEpochSeconds() ? record : undefined;
}

/**
 * Returns the record that another request, or a lost attempt of this one, wrote first.
 *
 * It is `undefined` if the record expired and DynamoDB deleted it after the failed condition.
 */
async function existingRecord(
  scopedKey: string,
  error: unknown,
): Promise<IdempotencyRecord | undefined> {
  if (!(error instanceof ConditionalCheckFailedException)) throw error;
  return readRecord(scopedKey);
}

async function readRecord(scopedKey: string): Promise<IdempotencyRecord | undefined> {
  const { Item } = await documentClient().send(
    new GetCommand({ TableName, Key: { scopedKey }, ConsistentRead: true }),
  );
  return Item && IdempotencyRecord.parse(Item);
}

/** Writes the record of a new key, or returns the record of a faster request. */
async function reserve(scopedKey: string, fingerprint: string): Promise<IdempotencyRecord> {
  const record = {
    petId: await nextPetId(),
    token: crypto.randomUUID(),
    fingerprint,
    expiresAtEpochSeconds: newExpiry(),
  };
  const write = new PutCommand({
    TableName,
    Item: { scopedKey, ...record },
    ConditionExpression: 'attribute_not_exists(scopedKey) OR expiresAtEpochSeconds <= :now',
    ExpressionAttributeValues: { ':now': nowEpochSeconds() },
  });
  try {
    await documentClient().send(write);
    return record;
  } catch (error) {
    return (await existingRecord(scopedKey, error)) ?? reserve(scopedKey, fingerprint);
  }
}

function newExpiry(): bigint {
  return nowEpochSeconds() + BigInt(promisedSeconds + allowanceSeconds);
}

/**
 * Changes the id of a record if another pet has the id: the counter was set back.
 *
 * No response named the old id yet, so the 24 hours begin again.
 */
async function changeId(
  scopedKey: string,
  record: IdempotencyRecord,
  step: bigint,
): Promise<IdempotencyRecord> {
  const petId = await nextPetIdBeyond(step);
  const write = new UpdateCommand({
    TableName,
    Key: { scopedKey },
    UpdateExpression: 'SET petId = :petId, expiresAtEpochSeconds = :expiresAt',
    ConditionExpression: 'petId = :takenId AND #token = :token',
    ExpressionAttributeNames: { '#token': 'token' },
    ExpressionAttributeValues: {
      ':petId': petId,
      ':expiresAt': newExpiry(),
      ':takenId': record.petId,
      ':token': record.token,
    },
  });
  try {
    await documentClient().send(write);
    return { ...record, petId };
  } catch (error) {
    return (await existingRecord(scopedKey, error)) ?? reserve(scopedKey, record.fingerprint);
  }
}
