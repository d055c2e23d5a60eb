import { hash } from 'node:crypto';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type * as z from 'zod/mini';
import { config } from '../config.ts';
import { ApiError } from '../errors.ts';
import { minInt64 } from '../int64.ts';
import { type TableDefinition, type TableName, tables } from '../tables.ts';
import { dynamoDb, type Item, type RequestContext, readItem } from './client.ts';

type Listed = { id: bigint };

/** A list: all items of a partition of an index, in ascending order of their ids. */
type List<Value extends Listed> = {
  table: TableName;
  /** Its sort key is the id. */
  index: string;
  /** The value of the partition key. */
  partition: string;
  schema: z.ZodMiniType<Value>;
};

type Page<Value> = { items: Value[]; nextCursor?: string };

/**
 * Reads a page of a list. A damaged item is skipped, and the next one takes its place.
 *
 * `nextCursor` means that another page may follow. DynamoDB reports more items whenever a query stops at its
 * limit, so the last page may be empty.
 */
export async function readPage<Value extends Listed>(
  { table, index, partition, schema }: List<Value>,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
  context: RequestContext,
): Promise<Page<Value>> {
  const { indexes }: TableDefinition = tables[table];
  const listName = [config().stage, table, index, partition].join(' ');
  const lastId = cursor === undefined ? minInt64 : decodeCursor(cursor, listName);
  const items: Value[] = [];
  let startKey: Item | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await dynamoDb().send(
      new QueryCommand({
        TableName: config().tableNames[table],
        IndexName: index,
        KeyConditionExpression: '#partitionKey = :partition AND id > :lastId',
        // The name may be a reserved word of DynamoDB.
        ExpressionAttributeNames: { '#partitionKey': indexes[index]?.partitionKey.name ?? '' },
        ExpressionAttributeValues: { ':partition': partition, ':lastId': lastId },
        Limit: limit - items.length,
        ExclusiveStartKey: startKey,
      }),
      { abortSignal: context.abortSignal },
    );
    for (const item of Items) {
      try {
        items.push(readItem(schema, item, { table, pk: item.pk }, context));
      } catch {
        // The next item takes its place.
      }
    }
    startKey = LastEvaluatedKey;
  } while (startKey && items.length < limit);

  const lastItem = items.at(-1);
  return startKey && lastItem
    ? { items, nextCursor: encodeCursor(lastItem.id, listName) }
    : { items };
}

/** The first byte of a cursor. A cursor of another form needs another number. */
const cursorVersion = 1;
const idBytes = 8;
const checksumBytes = 6;

/**
 * Encodes the id of the last item of a page as an opaque, URL-safe string.
 *
 * `listName` names the list that the cursor belongs to: its stage, table, index and partition.
 */
export function encodeCursor(lastId: bigint, listName: string): string {
  const payload = Buffer.alloc(1 + idBytes, cursorVersion);
  payload.writeBigInt64BE(lastId, 1);
  return Buffer.concat([payload, checksum(payload, listName)]).toString('base64url');
}

/**
 * Returns the id of the last item before a cursor.
 *
 * Throws `bad_request` unless this version of the service wrote the cursor for this list. The
 * checksum detects damage and mix-ups. It is not a signature: a forged cursor shows nothing that its
 * caller may not list.
 */
export function decodeCursor(cursor: string, listName: string): bigint {
  const bytes = Buffer.from(cursor, 'base64url');
  if (bytes.length === 1 + idBytes + checksumBytes) {
    const lastId = bytes.readBigInt64BE(1);
    // Encoding it again compares version and checksum at once.
    if (lastId >= 1n && encodeCursor(lastId, listName) === cursor) return lastId;
  }
  throw new ApiError(
    'bad_request',
    'cursor must be unchanged and sent with the same filter as its list. To start again, send no cursor.',
  );
}

function checksum(payload: Buffer, listName: string): Buffer {
  const scope = Buffer.from(`${listName} `);
  return hash('sha256', Buffer.concat([scope, payload]), 'buffer').subarray(0, checksumBytes);
}
