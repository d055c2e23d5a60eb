import { hash } from 'node:crypto';
import * as z from 'zod/mini';
import { ApiError } from '../errors.ts';
import { stringifyExactJson } from '../int64.ts';
import { nowEpochSeconds, putIf, type RequestContext, readItem } from './client.ts';

/** Clients may rely on a key for this long after they first send it. */
const promisedSeconds = 24 * 60 * 60;

/**
 * A record outlives the promise by this time, because the promise covers each request that is *sent*
 * in time.
 *
 * A retry may look for the record 12 s after it is sent, see `timeouts`. The rest covers clocks that
 * differ.
 */
const allowanceSeconds = 5 * 60;

/** The record of an Idempotency-Key. It says what the first request creates, so a later request can finish it. */
const IdempotencyRecord = z.object({
  /** The Idempotency-Key with what it belongs to: the resource and the API key. */
  scopedKey: z.string(),
  /** The digest of the validated body. */
  fingerprint: z.string(),
  resourceId: z.int64().check(z.minimum(1n)),
  /** Each request with the key stores this token in the item. */
  token: z.string(),
});
type IdempotencyRecord = z.infer<typeof IdempotencyRecord>;

/** Hashes the validated body: the order of members or an omitted default make no difference. */
export function fingerprintOf(body: object): string {
  // Absent optional members are left out. So a new optional member changes no stored fingerprint.
  return hash('sha256', stringifyExactJson(body), 'hex');
}

/**
 * Returns the record of an Idempotency-Key that an earlier request stored within 24 hours. Without one, it
 * stores this record and returns it.
 *
 * The record is stored before its item. So a concurrent request, or one after a crash, creates the same
 * item under the same id. Throws `idempotency_key_reused` if the key was used for another body.
 */
export async function findOrStoreRecord(
  record: IdempotencyRecord,
  context: RequestContext,
): Promise<IdempotencyRecord> {
  const item = { ...record, expiresAtEpochSeconds: newExpiry() };
  const condition = {
    // DynamoDB deletes expired records with a delay.
    ConditionExpression: 'attribute_not_exists(scopedKey) OR expiresAtEpochSeconds <= :now',
    ExpressionAttributeValues: { ':now': nowEpochSeconds() },
  };
  const stored = await putIf('idempotency', item, condition, context);
  if (!stored) return record;

  // The client wrote what follows the API key, so the log does not have it.
  const pk = record.scopedKey.split('#', 2).join('#');
  const earlierRecord = readItem(IdempotencyRecord, stored, { table: 'idempotency', pk }, context);
  if (earlierRecord.fingerprint !== record.fingerprint) {
    throw new ApiError(
      'idempotency_key_reused',
      'This Idempotency-Key was used for another body within 24 hours: send a new key with a new body.',
    );
  }
  return earlierRecord;
}

/** Gives a record another id, unless another request did, or has replaced the record. */
export async function changeRecordId(
  record: IdempotencyRecord,
  newId: bigint,
  context: RequestContext,
): Promise<void> {
  // No response named the old id yet, so the 24 hours begin again.
  const item = { ...record, resourceId: newId, expiresAtEpochSeconds: newExpiry() };
  const condition = {
    ConditionExpression:
      'attribute_not_exists(scopedKey) OR resourceId = :resourceId AND #token = :token',
    ExpressionAttributeNames: { '#token': 'token' },
    ExpressionAttributeValues: { ':resourceId': record.resourceId, ':token': record.token },
  };
  await putIf('idempotency', item, condition, context);
}

function newExpiry(): bigint {
  return nowEpochSeconds() + BigInt(promisedSeconds + allowanceSeconds);
}
