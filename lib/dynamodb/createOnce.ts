import { type TableDefinition, type TableName, tables } from '../tables.ts';
import { type Item, putIf, type RequestContext } from './client.ts';
import { changeRecordId, findOrStoreRecord, fingerprintOf } from './idempotency.ts';
import type { IdLease } from './ids.ts';

/** How an operation creates an item. */
type Creation = {
  table: TableName;
  ids: IdLease;
  /** The collection, for its Idempotency-Keys. A nested collection has its parent in it: `pets/7/visits`. */
  scope: string;
  /** The validated body of the request. */
  body: object;
  /** The field of the log line that has the new id. */
  idName: string;
  /** Returns the item. It must store the token as `token`. */
  toItem: (id: bigint, token: string) => Item;
};

/** The API key of a request, and its header. */
export type CreationKey = { apiKeyId: string; idempotencyKey: string | undefined };

type Created = {
  id: bigint;
  /** True if an earlier request had used the Idempotency-Key. */
  isReplayed: boolean;
};

/**
 * Stores a new item under an id that was never used, once for all calls of an API key with the same
 * Idempotency-Key within 24 hours.
 *
 * A retry after a lost response causes neither a second item nor an error. An id that is taken (the
 * counter was set back) is skipped, never overwritten.
 */
export async function createOnce(
  { table, ids, scope, body, idName, toItem }: Creation,
  { apiKeyId, idempotencyKey }: CreationKey,
  context: RequestContext,
): Promise<Created> {
  const { partitionKey }: TableDefinition = tables[table];
  const isFree = { ConditionExpression: `attribute_not_exists(${partitionKey.name})` };
  const keyed = idempotencyKey && {
    scopedKey: `${scope}#${apiKeyId}#${idempotencyKey}`,
    fingerprint: fingerprintOf(body),
  };
  const token = crypto.randomUUID();
  // Leased before the record is looked for, because the same call stores a new record with the id. A replay
  // leaves a gap.
  let resourceId = await ids.nextId(context);
  // A counter that was set back points into a dense range of taken ids. Doubling steps leave it
  // after about log2(range) attempts.
  for (let step = 2n; ; step *= 2n) {
    const own = { resourceId, token };
    const record = keyed ? await findOrStoreRecord({ ...keyed, ...own }, context) : own;
    const id = record.resourceId;
    // This line comes before the item is stored, so that even a request without a response logs its id.
    context.logFields[idName] = id;
    const stored = await putIf(table, toItem(id, record.token), isFree, context);
    // An item with the same token was stored by an earlier attempt.
    if (!stored || stored.token === record.token) {
      return { id, isReplayed: record.token !== token };
    }
    context.log('id_taken', { table, id });
    resourceId = await ids.skipTakenIds(step, context);
    if (keyed) await changeRecordId({ ...keyed, ...record }, resourceId, context);
  }
}
