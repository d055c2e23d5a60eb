import { hash } from 'node:crypto';
import { QueryCommand } from '@aws-sdk/client-dynamodb';
import { config } from '../config.ts';
import { ApiError } from '../errors.ts';
import type { TableName } from '../tables.ts';
import type { Item } from './attributes.ts';
import { dynamoDb, type RequestContext } from './client.ts';

/** A list: all items of some partitions of an index whose sort key is `id`. */
type List = {
  table: TableName;
  index: string;
  partitionKey: string;
  partitions: readonly string[];
  /** Names the list with its filter. A cursor is valid only for the same name and stage. */
  name: string;
  /** Returns an item as JSON text. Throws if the item is damaged. */
  toJson: (item: Item) => string;
};

type Page = {
  /** The array of items, as JSON text. */
  json: string;
  nextCursor?: string;
};

/**
 * Reads a page of a list by ascending id.
 *
 * It queries all partitions at once. `nextCursor` means that another page may follow. DynamoDB reports
 * more items whenever a query stops at its limit, so the last page may be empty.
 */
export async function readPage(
  list: List,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
  context: RequestContext,
): Promise<Page> {
  const name = `${config().stage} ${list.name}`;
  const afterId = cursor === undefined ? 0n : decodeCursor(cursor, name);
  const partitions = await Promise.all(
    list.partitions.map((partition) =>
      queryPartition(list, partition, { afterId, limit }, context),
    ),
  );

  const found = partitions.flatMap(({ items }) => items).sort(byId);
  const items = found.slice(0, limit);
  const json = `[${items.map((item) => item.json).join(',')}]`;
  const lastItem = items.at(-1);
  const hasMore = found.length > limit || partitions.some((partition) => partition.hasMore);
  return hasMore && lastItem
    ? { json, nextCursor: encodeCursor(BigInt(lastItem.id), name) }
    : { json };
}

/** An item of a page. Its id is a string of digits. */
type ListedItem = { id: string; json: string };

/** Reads up to `limit` items. A damaged one is skipped and replaced by the next one. */
async function queryPartition(
  { table, index, partitionKey, toJson }: List,
  partition: string,
  { afterId, limit }: { afterId: bigint; limit: number },
  { log, abortSignal }: RequestContext,
) {
  const items: ListedItem[] = [];
  let startKey: Item | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await dynamoDb().send(
      new QueryCommand({
        TableName: config().tableNames[table],
        IndexName: index,
        KeyConditionExpression: '#partitionKey = :partition AND id > :afterId',
        // `status` is a reserved word of DynamoDB.
        ExpressionAttributeNames: { '#partitionKey': partitionKey },
        ExpressionAttributeValues: {
          ':partition': { S: partition },
          ':afterId': { N: String(afterId) },
        },
        Limit: limit - items.length,
        ExclusiveStartKey: startKey,
      }),
      { abortSignal },
    );
    for (const item of Items) {
      try {
        items.push({ json: toJson(item), id: item.id?.N ?? '' });
      } catch (cause) {
        log('item_damaged', { table, pk: item.pk?.S, cause });
      }
    }
    startKey = LastEvaluatedKey;
  } while (startKey && items.length < limit);
  return { items, hasMore: startKey !== undefined };
}

/** Ids are positive, so the shorter one is smaller. */
function byId({ id: a }: ListedItem, { id: b }: ListedItem): number {
  return a.length - b.length || (a < b ? -1 : 1);
}

const cursorVersion = 1;
const checksumBytes = 6;
const payloadBytes = 1 + 8;

/**
 * Encodes the position after the item `lastId` as an opaque, URL-safe string.
 *
 * `listName` names the list that the cursor belongs to, with its stage and filter.
 */
export function encodeCursor(lastId: bigint, listName: string): string {
  const payload = Buffer.alloc(payloadBytes);
  payload.writeUInt8(cursorVersion);
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
  const payload = bytes.subarray(0, payloadBytes);
  if (payload.length === payloadBytes) {
    const lastId = payload.readBigInt64BE(1);
    // Encoding it again compares version, length and checksum at once.
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
