import { type AttributeValue, QueryCommand } from '@aws-sdk/client-dynamodb';
import { config } from '../config.ts';
import { dynamoDbClient } from '../dynamodb/client.ts';
import type { PetKeyPrefix } from '../dynamodb/tables.ts';
import { isInt64Text } from '../int64.ts';
import { log } from '../logging.ts';
import { type ListPetsQuery, type Pet, type PetStatus, petStatuses } from '../schemas.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';

type Item = Record<string, AttributeValue>;

/**
 * A pet on its way from DynamoDB's text to the text of the response.
 *
 * Its integers stay strings of digits. Converting 100 pets by the document client, a schema and a
 * JSON replacer took most of the time of a list.
 */
type ListedPet = { [Field in keyof Required<Pet>]: WithDigits<Pet[Field]> };

/** Replaces `bigint` in a union too: an optional integer is `bigint | undefined`. */
type WithDigits<Value> = Value extends bigint ? string : Value;

type PetPage = {
  /** The array of pets, as JSON text. */
  json: string;
  nextCursor?: string;
};

/**
 * Reads a page of pets of one status, or of all, by ascending id.
 *
 * It queries all shards at once. `nextCursor` means that another page may follow: DynamoDB reports
 * more items whenever it stops at the limit, so a list whose length is a multiple of `limit` ends
 * with an empty page.
 */
export async function readPetPage(
  { limit, status, cursor }: ListPetsQuery,
  petKeyPrefix: PetKeyPrefix,
): Promise<PetPage> {
  const list = { stage: config.stage, status };
  const afterId = cursor === undefined ? 0n : decodeCursor(cursor, list);
  const shards = await Promise.all(
    statusShardsOf(status ? [status] : petStatuses, petKeyPrefix).map((statusShard) =>
      queryShard({ statusShard, afterId, limit }),
    ),
  );

  const found = shards.flatMap(({ pets }) => pets).sort(byId);
  const pets = found.slice(0, limit);
  const json = `[${pets.map(petJson).join(',')}]`;
  const lastPet = pets.at(-1);
  const hasMore = found.length > limit || shards.some(({ isCut }) => isCut);
  return hasMore && lastPet
    ? { json, nextCursor: encodeCursor(BigInt(lastPet.id), list) }
    : { json };
}

/** Returns every partition of the index that holds pets of these statuses. */
export function statusShardsOf(
  statuses: readonly PetStatus[],
  petKeyPrefix: PetKeyPrefix = '',
): string[] {
  return statuses.flatMap((status) =>
    Array.from({ length: config.shards }, (_, shard) => `${petKeyPrefix}${status}#${shard}`),
  );
}

type ShardQuery = { statusShard: string; afterId: bigint; limit: number };

/** Reads up to `limit` pets. A damaged item is skipped and replaced by the next one. */
async function queryShard({ statusShard, afterId, limit }: ShardQuery) {
  const pets: ListedPet[] = [];
  let startKey: Item | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await dynamoDbClient.send(
      new QueryCommand({
        TableName: config.petsTableName,
        IndexName: 'byStatus',
        KeyConditionExpression: 'statusShard = :statusShard AND id > :afterId',
        ExpressionAttributeValues: {
          ':statusShard': { S: statusShard },
          ':afterId': { N: String(afterId) },
        },
        Limit: limit - pets.length,
        ExclusiveStartKey: startKey,
      }),
    );
    for (const item of Items) {
      const pet = toListedPet(item);
      if (pet) pets.push(pet);
    }
    startKey = LastEvaluatedKey;
  } while (startKey && pets.length < limit);
  return { pets, isCut: startKey !== undefined };
}

/**
 * Returns undefined for a damaged item. It is as strict as the schema of a pet.
 *
 * The query returns only positive ids.
 */
function toListedPet(item: Item): ListedPet | undefined {
  const id = item.id?.N;
  const name = item.name?.S;
  const categoryId = item.categoryId?.N;
  const status = petStatuses.find((each) => each === item.status?.S);
  if (isInt64Text(id) && name !== undefined && isInt64Text(categoryId) && status !== undefined) {
    return { id, name, categoryId, status };
  }
  log('pet_damaged', { pk: item.pk?.S });
  return undefined;
}

/** Ids are positive, so the shorter one is smaller. */
function byId({ id: a }: ListedPet, { id: b }: ListedPet): number {
  return a.length - b.length || (a < b ? -1 : 1);
}

/** `JSON.stringify` would need a raw value for each integer, and take twice as long. */
function petJson({ id, name, categoryId, status }: ListedPet): string {
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`;
}
