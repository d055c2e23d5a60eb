import { createHash } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { ApiError } from './ApiError.ts';
import { config } from './config.ts';
import { dynamoDb } from './dynamoDb.ts';
import { stringifyExactJson } from './exactJson.ts';
import { nowEpochSeconds } from './nowEpochSeconds.ts';
import { nextPetId, nextPetIdBeyond } from './petIds.ts';
import { putNewPet } from './petStore.ts';
import { type NewPet, Pet } from './schemas.ts';

const TableName = config.idempotencyTableName;

const rememberedForSeconds = 24 * 60 * 60;

/** What a first request with a key set out to do, so that a later one can finish it. */
const IdempotencyRecord = z.object({
  petId: Pet.shape.id,
  /** The token that the pet is written with, whoever writes it. */
  token: z.string(),
  fingerprint: z.string(),
  expiresAtEpochSeconds: z.bigint(),
});
type IdempotencyRecord = z.infer<typeof IdempotencyRecord>;

/** An Idempotency-Key and the API key that it belongs to. */
type Scope = { apiKeyId: string; idempotencyKey: string };

/**
 * Stores a new pet once, however often it is called with the same key within 24 hours.
 *
 * The record with the pet's id and token is written before the pet. So whoever comes later, beside or
 * after a request that died, writes the same item under the same id. Throws `idempotency_key_reused`
 * where the key was used for another pet.
 */
export async function addPetOnce(newPet: NewPet, scope: Scope): Promise<Pet> {
  const scopedKey = `${scope.apiKeyId}#${scope.idempotencyKey}`;
  const fingerprint = fingerprintOf(newPet);
  let record = (await findLiveRecord(scopedKey)) ?? (await reserve(scopedKey, fingerprint));
  for (let step = 2n; ; step *= 2n) {
    if (record.fingerprint !== fingerprint) {
      throw new ApiError(
        'idempotency_key_reused',
        'This Idempotency-Key was used for another body within 24 hours: send a new key with a new body.',
      );
    }
    const pet = { id: record.petId, ...newPet };
    if (await putNewPet(pet, record.token)) return pet;
    record = await moveOn(scopedKey, record, step);
  }
}

/** Of the body as it was understood: the order of members or an omitted default make no other pet. */
function fingerprintOf({ name, categoryId, status }: NewPet): string {
  return createHash('sha256')
    .update(stringifyExactJson([name, categoryId, status]))
    .digest('hex');
}

/** Finds the record that is in force. DynamoDB drops expired ones when it gets around to it. */
async function findLiveRecord(scopedKey: string): Promise<IdempotencyRecord | undefined> {
  const record = await readRecord(scopedKey);
  return record && record.expiresAtEpochSeconds > nowEpochSeconds() ? record : undefined;
}

/** Finds what another request, or a lost attempt of our own, wrote first: that one holds. */
async function findWritten(scopedKey: string, error: unknown): Promise<IdempotencyRecord> {
  if (!(error instanceof ConditionalCheckFailedException)) throw error;
  const record = await readRecord(scopedKey);
  if (!record) throw error;
  return record;
}

async function readRecord(scopedKey: string): Promise<IdempotencyRecord | undefined> {
  const { Item } = await dynamoDb.send(
    new GetCommand({ TableName, Key: { scopedKey }, ConsistentRead: true }),
  );
  return Item && IdempotencyRecord.parse(Item);
}

/** Writes the record of a key that is new, or finds that of a request that was faster. */
async function reserve(scopedKey: string, fingerprint: string): Promise<IdempotencyRecord> {
  const record = {
    petId: await nextPetId(),
    token: crypto.randomUUID(),
    fingerprint,
    // The clock is cut to whole seconds, so the one that has begun is not counted.
    expiresAtEpochSeconds: nowEpochSeconds() + BigInt(rememberedForSeconds + 1),
  };
  const write = new PutCommand({
    TableName,
    Item: { scopedKey, ...record },
    ConditionExpression: 'attribute_not_exists(scopedKey) OR expiresAtEpochSeconds <= :now',
    ExpressionAttributeValues: { ':now': nowEpochSeconds() },
  });
  return dynamoDb.send(write).then(
    () => record,
    (error) => findWritten(scopedKey, error),
  );
}

/** Gives the record another id where its own belongs to another pet: the counter was set back. */
async function moveOn(
  scopedKey: string,
  record: IdempotencyRecord,
  step: bigint,
): Promise<IdempotencyRecord> {
  const petId = await nextPetIdBeyond(step);
  const write = new UpdateCommand({
    TableName,
    Key: { scopedKey },
    UpdateExpression: 'SET petId = :petId',
    ConditionExpression: 'petId = :takenId AND #token = :token',
    ExpressionAttributeNames: { '#token': 'token' },
    ExpressionAttributeValues: {
      ':petId': petId,
      ':takenId': record.petId,
      ':token': record.token,
    },
  });
  return dynamoDb.send(write).then(
    () => ({ ...record, petId }),
    (error) => findWritten(scopedKey, error),
  );
}
