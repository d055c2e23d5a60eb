import { QueryCommand } from '@aws-sdk/client-dynamodb';
import { config } from '../config.ts';
import { dynamoDb, type Item } from '../dynamodb/client.ts';
import type { Log } from '../logging.ts';
import { type ListPetsQuery, petStatuses } from '../schemas.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import { petJson, statusShardsOf } from './petItem.ts';

/** A pet of a page. Its id is a string of digits. */
type ListedPet = { id: string; json: string };

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
  log: Log,
): Promise<PetPage> {
  const list = { stage: config().stage, status };
  const afterId = cursor === undefined ? 0n : decodeCursor(cursor, list);
  const shards = await Promise.all(
    statusShardsOf(status ? [status] : petStatuses).map((statusShard) =>
      queryShard({ statusShard, afterId, limit }, log),
    ),
  );

  const found = shards.flatMap(({ pets }) => pets).sort(byId);
  const pets = found.slice(0, limit);
  const json = `[${pets.map((pet) => pet.json).join(',')}]`;
  const lastPet = pets.at(-1);
  const hasMore = found.length > limit || shards.some((shard) => shard.hasMore);
  return hasMore && lastPet
    ? { json, nextCursor: encodeCursor(BigInt(lastPet.id), list) }
    : { json };
}

type ShardQuery = { statusShard: string; afterId: bigint; limit: number };

/** Reads up to `limit` pets. A damaged item is skipped and replaced by the next one. */
async function queryShard({ statusShard, afterId, limit }: ShardQuery, log: Log) {
  const pets: ListedPet[] = [];
  let startKey: Item | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await dynamoDb().send(
      new QueryCommand({
        TableName: config().petsTableName,
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
      try {
        pets.push({ json: petJson(item), id: item.id?.N ?? '' });
      } catch (cause) {
        log('pet_damaged', { pk: item.pk?.S, cause });
      }
    }
    startKey = LastEvaluatedKey;
  } while (startKey && pets.length < limit);
  return { pets, hasMore: startKey !== undefined };
}

/** Ids are positive, so the shorter one is smaller. */
function byId({ id: a }: ListedPet, { id: b }: ListedPet): number {
  return a.length - b.length || (a < b ? -1 : 1);
}
