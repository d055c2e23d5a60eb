import {
  type AttributeValue,
  ConditionalCheckFailedException,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { config } from './config.ts';
import { dynamoDb, dynamoDbClient } from './dynamoDb.ts';
import { log } from './log.ts';
import { count } from './metrics.ts';
import { nextPetId, nextPetIdBeyond } from './petIds.ts';
import { type NewPet, Pet } from './schemas.ts';

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

/** A pet as the table holds it. The token tells one attempt to write it from another's. */
export function petItem({ id, name, categoryId, status }: Pet, token: string) {
  return {
    pk: { S: petKey(id) },
    statusShard: { S: `${status}#${id % BigInt(config.writtenShards)}` },
    token: { S: token },
    id: { N: String(id) },
    name: { S: name },
    categoryId: { N: String(categoryId) },
    status: { S: status },
  } satisfies Record<string, AttributeValue>;
}

/** Returns whether the pet is stored under its id now; false means that another pet has the id. */
export async function putNewPet(pet: Pet, token: string): Promise<boolean> {
  const isFree = 'attribute_not_exists(pk)';
  try {
    await dynamoDbClient.send(
      new PutItemCommand({ TableName, Item: petItem(pet, token), ConditionExpression: isFree }),
    );
    count('PetsCreated');
    return true;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    // Not ReturnValuesOnConditionCheckFailure: the embedded engine does not know it.
    const { Item: stored } = await dynamoDb.send(
      new GetCommand({ TableName, Key: { pk: petKey(pet.id) }, ConsistentRead: true }),
    );
    if (stored?.token === token) return true;
    log('pet_id_taken', { petId: pet.id });
    return false;
  }
}

function petKey(id: bigint): string {
  return `PET#${id}`;
}
