import { hash } from 'node:crypto';
import { type AttributeValue, QueryCommand } from '@aws-sdk/client-dynamodb';
import { config } from '../config.ts';
import { ApiError } from '../errors.ts';
import { type KeyAttribute, type TableDefinition, type TableName, tables } from '../tables.ts';
import type { Item } from './attributes.ts';
import { dynamoDb, type RequestContext } from './client.ts';

type KeyType = KeyAttribute['type'];

/** A list: all items of some partitions of an index, by its sort key. */
type List = {
  table: TableName;
  index: string;
  /** The values of the partition key. */
  partitions: readonly (string | bigint)[];
  /** The order by the sort key. It is an id from 1 upwards, or an ASCII text that no two items of the list share. */
  order: 'ascending' | 'descending';
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
 * Reads a page of a list in its order.
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
  const { sortKey } = indexOf(list);
  const after = cursor === undefined ? undefined : decodeCursor(cursor, sortKey.type, name);
  const partitions = await Promise.all(
    list.partitions.map((partition) => queryPartition(list, partition, { after, limit }, context)),
  );

  const sign = list.order === 'ascending' ? 1 : -1;
  const found = partitions
    .flatMap(({ items }) => items)
    .sort((a, b) => sign * comparePositions(sortKey.type, a.position, b.position));
  const items = found.slice(0, limit);
  const json = `[${items.map((item) => item.json).join(',')}]`;
  const lastItem = items.at(-1);
  const hasMore = found.length > limit || partitions.some((partition) => partition.hasMore);
  return hasMore && lastItem
    ? { json, nextCursor: encodeCursor(lastItem.position, sortKey.type, name) }
    : { json };
}

function indexOf({ table, index }: List) {
  const { indexes }: TableDefinition = tables[table];
  return indexes[index] as TableDefinition['indexes'][string];
}

/** An item of a page. Its position is the sort key, a text or digits. */
type ListedItem = { position: string; json: string };

/** Reads up to `limit` items. A damaged one is skipped and replaced by the next one. */
async function queryPartition(
  list: List,
  partition: string | bigint,
  { after, limit }: { after: string | undefined; limit: number },
  { log, abortSignal }: RequestContext,
) {
  const { table, index, order, toJson } = list;
  const { partitionKey, sortKey } = indexOf(list);
  const isAscending = order === 'ascending';
  const isAfter = after === undefined ? '' : ` AND #sortKey ${isAscending ? '>' : '<'} :after`;
  const items: ListedItem[] = [];
  let startKey: Item | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await dynamoDb().send(
      new QueryCommand({
        TableName: config().tableNames[table],
        IndexName: index,
        KeyConditionExpression: `#partitionKey = :partition${isAfter}`,
        // A name may be a reserved word of DynamoDB.
        ExpressionAttributeNames: {
          '#partitionKey': partitionKey.name,
          ...(isAfter && { '#sortKey': sortKey.name }),
        },
        ExpressionAttributeValues: {
          ':partition': keyAttribute(partitionKey.type, partition),
          ...(after !== undefined && { ':after': keyAttribute(sortKey.type, after) }),
        },
        ScanIndexForward: isAscending,
        Limit: limit - items.length,
        ExclusiveStartKey: startKey,
      }),
      { abortSignal },
    );
    for (const item of Items) {
      try {
        const position = item[sortKey.name]?.[sortKey.type] ?? '';
        items.push({ json: toJson(item), position });
      } catch (cause) {
        log('item_damaged', { table, pk: item.pk?.S, cause });
      }
    }
    startKey = LastEvaluatedKey;
  } while (startKey && items.length < limit);
  return { items, hasMore: startKey !== undefined };
}

function keyAttribute(type: KeyType, value: string | bigint): AttributeValue {
  return type === 'S' ? { S: String(value) } : { N: String(value) };
}

function comparePositions(type: KeyType, a: string, b: string): number {
  // Ids are positive, so the shorter one is smaller.
  return (type === 'N' && a.length - b.length) || (a < b ? -1 : 1);
}

/** The first byte of a cursor says which form its position has: 8 bytes of a number, or a text in UTF-8. */
const cursorVersions = { N: 1, S: 2 } as const;
const checksumBytes = 6;

/**
 * Encodes the position of the last item of a page as an opaque, URL-safe string.
 *
 * `listName` names the list that the cursor belongs to, with its stage and filter.
 */
export function encodeCursor(position: string, type: KeyType, listName: string): string {
  const bytes = type === 'S' ? Buffer.from(position) : Buffer.alloc(8);
  if (type === 'N') bytes.writeBigInt64BE(BigInt(position));
  const payload = Buffer.concat([Buffer.of(cursorVersions[type]), bytes]);
  return Buffer.concat([payload, checksum(payload, listName)]).toString('base64url');
}

/**
 * Returns the position of the last item before a cursor.
 *
 * Throws `bad_request` unless this version of the service wrote the cursor for this list. The
 * checksum detects damage and mix-ups. It is not a signature: a forged cursor shows nothing that its
 * caller may not list.
 */
export function decodeCursor(cursor: string, type: KeyType, listName: string): string {
  const bytes = Buffer.from(cursor, 'base64url').subarray(1, -checksumBytes);
  if (type === 'S' || bytes.length === 8) {
    const position = type === 'S' ? bytes.toString() : String(bytes.readBigInt64BE());
    const isPosition = type === 'S' || BigInt(position) >= 1n;
    // Encoding it again compares version, length and checksum at once.
    if (isPosition && encodeCursor(position, type, listName) === cursor) return position;
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
