import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { config } from '../config.ts';
import { maxInt64 } from '../int64.ts';
import { counterKey, type TableName } from '../tables.ts';
import { dynamoDb, type RequestContext } from './client.ts';

export type IdLease = {
  /** Returns an id that no instance returned before. */
  nextId(context: RequestContext): Promise<bigint>;
  /** Drops the lease, because its ids are taken too. Returns an id that is `step` beyond the counter. */
  skipTakenIds(step: bigint, context: RequestContext): Promise<bigint>;
};

/**
 * Leases `idsPerLease` ids at once from the counter in a table with the partition key `pk`.
 *
 * The lease belongs to this instance, so make it once, when the module loads. A lease that is lost with its
 * instance leaves a gap in the ids, and gaps are allowed.
 */
export function leaseIds(table: TableName): IdLease {
  /** Ids that this instance reserved and has not used yet. */
  let lease = { nextId: 1n, lastId: 0n };
  let renewal: Promise<void> | undefined;

  async function renewLease(context: RequestContext): Promise<void> {
    const { idsPerLease } = config();
    const lastId = await advanceCounter(table, idsPerLease, context);
    lease = { nextId: lastId - idsPerLease + 1n, lastId };
  }

  return {
    async nextId(context) {
      // More calls may share a renewal than the lease has ids.
      while (lease.nextId > lease.lastId) {
        renewal ??= renewLease(context).finally(() => {
          renewal = undefined;
        });
        await renewal;
      }
      const id = lease.nextId;
      lease.nextId += 1n;
      return id;
    },

    async skipTakenIds(step, context) {
      lease = { nextId: 1n, lastId: 0n };
      return advanceCounter(table, step, context);
    },
  };
}

/**
 * Adds to the atomic counter of a table and returns the last of the reserved ids.
 *
 * The SDK retries an update whose response was lost, which leaves a gap. Throws if the counter is damaged
 * or would exceed int64. The counter then stays as it is, unless it is a fraction: DynamoDB adds to it
 * before this function can see the result.
 */
export async function advanceCounter(
  table: TableName,
  count: bigint,
  { abortSignal }: Pick<RequestContext, 'abortSignal'>,
): Promise<bigint> {
  const update = new UpdateCommand({
    TableName: config().tableNames[table],
    Key: { pk: counterKey },
    UpdateExpression: 'ADD lastId :count',
    // A read before the update would cost a round trip, and another update could follow it.
    ConditionExpression: 'attribute_not_exists(lastId) OR lastId BETWEEN :min AND :max',
    ExpressionAttributeValues: { ':count': count, ':min': 0, ':max': maxInt64 - count },
    ReturnValues: 'UPDATED_NEW',
  });
  const { Attributes } = await dynamoDb()
    .send(update, { abortSignal })
    .catch((error) => {
      throw error instanceof ConditionalCheckFailedException
        ? counterUnusable(count, error)
        : error;
    });
  const lastId: unknown = Attributes?.lastId;
  if (typeof lastId !== 'bigint') throw counterUnusable(count, Attributes);
  return lastId;
}

function counterUnusable(count: bigint, cause: unknown): Error {
  return new Error(
    `The id counter cannot be used: lastId of the item ${counterKey} is not a number from 0 to ${maxInt64 - count}. Set it to the highest id in use.`,
    { cause },
  );
}
