import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { config } from './config.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import { dynamoDb } from './dynamoDb.ts';
import { log } from './log.ts';
import { count } from './metrics.ts';
import { nextPetId, nextPetIdBeyond } from './petIds.ts';
import { type ListPetsQuery, type NewPet, Pet, type PetStatus, petStatuses } from './schemas.ts';

const TableName = config.petsTableName;

/**
 * Stores a new pet under an id that no pet ever had.
 *
 * Safe against its own retries: an answer that was lost on the way yields neither a second pet nor
 * an error. An id that is taken (the counter was set back by a restore) is skipped, never
 * overwritten.
 */
export async function addPet(newPet: NewPet): Promise<Pet> {
  const token = crypto.randomUUID();
  let pet = { id: await nextPetId(), ...newPet };
  // Ids are dense where the counter was set back, so steps that double leave the taken range after
  // about log2(range) attempts.
  for (let step = 2n; !(await putNewPet(pet, token)); step *= 2n) {
    pet = { id: await nextPetIdBeyond(step), ...newPet };
  }
  return pet;
}

/** Reads one pet, strongly: a pet is found as soon as its creation was acknowledged. */
export async function findPet(id: bigint): Promise<Pet | undefined> {
  const { Item } = await dynamoDb.send(
    new GetCommand({ TableName, Key: { pk: petKey(id) }, ConsistentRead: true }),
  );
  return Item && Pet.parse(Item);
}

type Page = { pets: Pet[]; nextCursor?: string };

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

  const found = parts.flatMap(({ pets }) => pets).sort((a, b) => (a.id < b.id ? -1 : 1));
  const pets = found.slice(0, limit);
  const lastPet = pets.at(-1);
  const mayGoOn = found.length > limit || parts.some(({ isCut }) => isCut);
  return mayGoOn && lastPet ? { pets, nextCursor: encodeCursor(lastPet.id, list) } : { pets };
}

/** A pet as the table holds it. The token tells one attempt to write it from another's. */
export function petItem(pet: Pet, token: string) {
  const statusShard = `${pet.status}#${pet.id % BigInt(config.writtenShards)}`;
  return { pk: petKey(pet.id), statusShard, token, ...pet };
}

/**
 * Every partition of the index that may hold pets of these statuses.
 *
 * They may be more than are written to: while functions are replaced, an old instance must find what
 * a new one has written.
 */
export function statusShardsOf(statuses: readonly PetStatus[]): string[] {
  return statuses.flatMap((status) =>
    Array.from({ length: config.shards }, (_, shard) => `${status}#${shard}`),
  );
}

type ShardQuery = { statusShard: string; afterId: bigint; limit: number };

/** A damaged item is skipped and its place filled, so that it neither fails nor shortens a page. */
async function queryShard({ statusShard, afterId, limit }: ShardQuery) {
  const pets: Pet[] = [];
  let startKey: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await dynamoDb.send(
      new QueryCommand({
        TableName,
        IndexName: 'byStatus',
        KeyConditionExpression: 'statusShard = :statusShard AND id > :afterId',
        ExpressionAttributeValues: { ':statusShard': statusShard, ':afterId': afterId },
        Limit: limit - pets.length,
        ExclusiveStartKey: startKey,
      }),
    );
    pets.push(...Items.flatMap(readItem));
    startKey = LastEvaluatedKey;
  } while (startKey && pets.length < limit);
  return { pets, isCut: startKey !== undefined };
}

function readItem(item: Record<string, unknown>): Pet[] {
  const { data: pet, error } = Pet.safeParse(item);
  if (pet) return [pet];
  log('pet_damaged', { pk: item.pk, cause: error });
  return [];
}

/** Returns whether the pet is stored under its id now; false means that another pet has the id. */
export async function putNewPet(pet: Pet, token: string): Promise<boolean> {
  const Item = petItem(pet, token);
  try {
    await dynamoDb.send(
      new PutCommand({
        TableName,
        Item,
        ConditionExpression: 'attribute_not_exists(pk)',
      }),
    );
    count('PetsCreated');
    return true;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    // Not ReturnValuesOnConditionCheckFailure: the embedded engine does not know it.
    const { Item: stored } = await dynamoDb.send(
      new GetCommand({ TableName, Key: { pk: Item.pk }, ConsistentRead: true }),
    );
    if (stored?.token === token) return true;
    log('pet_id_taken', { petId: pet.id });
    return false;
  }
}

function petKey(id: bigint): string {
  return `PET#${id}`;
}
