import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { config } from './config.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import { dynamoDbClient } from './dynamoDb.ts';
import { isInt64Text } from './int64.ts';
import { log } from './log.ts';
import { PlainQueryCommand } from './PlainQueryCommand.ts';
import { type ListPetsQuery, type PetStatus, petStatuses } from './schemas.ts';

type Item = Record<string, AttributeValue>;

/**
 * A pet on its way from the text that DynamoDB sends to the text of the answer.
 *
 * Its integers stay the digits that they are: a list of 100 pets needs no document client, no
 * schema, no bigint and no replacer, which took most of the time.
 */
type ListedPet = { id: string; name: string; categoryId: string; status: PetStatus };

type Page = {
  /** The array of pets, as JSON text. */
  json: string;
  nextCursor?: string;
};

/**
 * Reads a page of the pets of one status, or of all, in ascending order of id.
 *
 * One query a shard, all at once. There is a `nextCursor` where another page may follow: DynamoDB
 * cannot tell a full page from the last one, so a list whose length is a multiple of `limit` ends
 * with an empty page.
 */
export async function listPets({ limit, status, cursor }: ListPetsQuery): Promise<Page> {
  const list = { stage: config.stage, status };
  const afterId = cursor === undefined ? 0n : decodeCursor(cursor, list);
  const parts = await Promise.all(
    statusShardsOf(status ? [status] : petStatuses).map((statusShard) =>
      queryShard({ statusShard, afterId, limit }),
    ),
  );

  const found = parts.flatMap(({ pets }) => pets).sort(byId);
  const pets = found.slice(0, limit);
  const json = `[${pets.map(petJson).join(',')}]`;
  const lastPet = pets.at(-1);
  const mayGoOn = found.length > limit || parts.some(({ isCut }) => isCut);
  return mayGoOn && lastPet
    ? { json, nextCursor: encodeCursor(BigInt(lastPet.id), list) }
    : { json };
}

/** Every partition of the index that holds pets of these statuses. */
export function statusShardsOf(statuses: readonly PetStatus[]): string[] {
  return statuses.flatMap((status) =>
    Array.from({ length: config.shards }, (_, shard) => `${status}#${shard}`),
  );
}

type ShardQuery = { statusShard: string; afterId: bigint; limit: number };

/** A damaged item is skipped and its place filled, so that it neither fails nor shortens a page. */
async function queryShard({ statusShard, afterId, limit }: ShardQuery) {
  const pets: ListedPet[] = [];
  let startKey: Item | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await dynamoDbClient.send(
      new PlainQueryCommand({
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
      const pet = readItem(item);
      if (pet) pets.push(pet);
    }
    startKey = LastEvaluatedKey;
  } while (startKey && pets.length < limit);
  return { pets, isCut: startKey !== undefined };
}

/** As strict as the schema of a pet. */
function readItem(item: Item): ListedPet | undefined {
  const id = item.id?.N;
  const name = item.name?.S;
  const categoryId = item.categoryId?.N;
  const status = petStatuses.find((each) => each === item.status?.S);
  if (
    isInt64Text(id) &&
    /^[1-9]/.test(id) &&
    name !== undefined &&
    isInt64Text(categoryId) &&
    status !== undefined
  ) {
    return { id, name, categoryId, status };
  }
  log('pet_damaged', { pk: item.pk?.S });
  return undefined;
}

/** Ids are positive, so of two the shorter one is less. */
function byId({ id: a }: ListedPet, { id: b }: ListedPet): number {
  return a.length - b.length || (a < b ? -1 : 1);
}

/** By hand: `JSON.stringify` would need a raw value for each integer, and take twice the time. */
function petJson({ id, name, categoryId, status }: ListedPet): string {
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`;
}
