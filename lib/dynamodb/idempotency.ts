import { ConditionalCheckFailedException, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import * as z from 'zod/mini';
import { config } from '../config.ts';
import { ApiError } from '../errors.ts';
import { fromItem, toItem } from './attributes.ts';
import { dynamoDb, nowEpochSeconds, putIf, type RequestContext } from './client.ts';

/** Clients may rely on a key for this long after the first response. */
const promisedSeconds = 24 * 60 * 60;

/**
 * A record outlives the promise, which covers each request that is *sent* in time.
 *
 * The first response may leave 10 s after its record is written, and a retry may find it 12 s after it is
 * sent, see `timeouts`. The rest covers clocks that differ.
 */
const allowanceSeconds = 5 * 60;

/** What the first request with a key creates, so that a later request can finish it. */
const Plan = z.object({
  /** The Idempotency-Key with what it belongs to: the resource and the API key. */
  scopedKey: z.string(),
  /** The digest of the validated body. */
  fingerprint: z.string(),
  resourceId: z.int64().check(z.minimum(1n)),
  /** Each request that follows the plan writes it. */
  token: z.string(),
});
type Plan = z.infer<typeof Plan>;

/**
 * Returns the plan that all requests with the same key within 24 hours follow: this one, or that of an
 * earlier request.
 *
 * The record of a plan is written before its pet. So a concurrent request, or one after a crash, creates
 * the same pet under the same id. Throws `idempotency_key_reused` if the key was used for something else.
 */
export async function agreeOnPlan(plan: Plan, context: RequestContext): Promise<Plan> {
  const record = toItem({ ...plan, expiresAtEpochSeconds: newExpiry() });
  const condition = {
    // DynamoDB deletes expired records with a delay.
    ConditionExpression: 'attribute_not_exists(scopedKey) OR expiresAtEpochSeconds <= :now',
    ExpressionAttributeValues: toItem({ ':now': nowEpochSeconds() }),
  };
  const stored = await putIf('idempotency', record, condition, context);
  if (!stored) return plan;

  const earlierPlan = Plan.parse(fromItem(stored));
  if (earlierPlan.fingerprint !== plan.fingerprint) {
    throw new ApiError(
      'idempotency_key_reused',
      'This Idempotency-Key was used for another body within 24 hours: send a new key with a new body.',
    );
  }
  return earlierPlan;
}

/** Changes the id of a plan in its record, unless another request did, or the record is gone or replaced. */
export async function changeId(
  { scopedKey, resourceId, token }: Omit<Plan, 'fingerprint'>,
  newId: bigint,
  { abortSignal }: RequestContext,
): Promise<void> {
  const update = new UpdateItemCommand({
    TableName: config().tableNames.idempotency,
    Key: toItem({ scopedKey }),
    UpdateExpression: 'SET resourceId = :newId, expiresAtEpochSeconds = :expiresAt',
    ConditionExpression: 'resourceId = :resourceId AND #token = :token',
    ExpressionAttributeNames: { '#token': 'token' },
    ExpressionAttributeValues: toItem({
      ':newId': newId,
      // No response named the old id yet, so the 24 hours begin again.
      ':expiresAt': newExpiry(),
      ':resourceId': resourceId,
      ':token': token,
    }),
  });
  try {
    await dynamoDb().send(update, { abortSignal });
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}

function newExpiry(): bigint {
  return nowEpochSeconds() + BigInt(promisedSeconds + allowanceSeconds);
}
