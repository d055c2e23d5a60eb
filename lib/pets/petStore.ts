import {
  ConditionalCheckFailedException,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { config } from '../config.ts';
import { dynamoDbClient, readItem, writeItem } from '../dynamodb/client.ts';
import type { PetKeyPrefix } from '../dynamodb/tables.ts';
import { log } from '../logging.ts';
import { countCreatedPet } from '../metrics.ts';
import { type NewPet, Pet } from '../schemas.ts';
import { nextPetId, nextPetIdBeyond } from './petIds.ts';

const TableName = config.petsTableName;

/**
 * Stores a new pet under an id that was never used.
 *
 * A retry after a lost response causes neither a second pet nor an error. An id that is taken
 * (a restore set the counter back) is skipped, never overwritten.
 */
export async function addPet(newPet: NewPet, petKeyPrefix: PetKeyPrefix): Promise<Pet> {
  const token = crypto.randomUUID();
  let pet = { id: await nextPetId(), ...newPet };
  // A counter that was set back points into a dense range of taken ids. Doubling steps leave it
  // after about log2(range) attempts.
  for (let step = 2n; !(await putNewPet(pet, token, petKeyPrefix)); step *= 2n) {
    pet = { id: await nextPetIdBeyond(step), ...newPet };
  }
  return pet;
}

/** Reads one pet with strong consistency: it is found as soon as its creation is acknowledged. */
export async function findPet(id: bigint, petKeyPrefix: PetKeyPrefix): Promise<Pet | undefined> {
  const item = await readPetItem(id, petKeyPrefix);
  return item && Pet.parse(item);
}

async function readPetItem(id: bigint, petKeyPrefix: PetKeyPrefix) {
  const Key = { pk: { S: petKey(id, petKeyPrefix) } };
  const read = new GetItemCommand({ TableName, Key, ConsistentRead: true });
  const { Item } = await dynamoDbClient.send(read);
  return Item && readItem(Item);
}

/**
 * Returns the stored item of a pet, with each field under its name.
 *
 * The token identifies the request that wrote it.
 */
export function petItem(pet: Pet, token: string, petKeyPrefix: PetKeyPrefix = '') {
  return writeItem({
    ...pet,
    pk: petKey(pet.id, petKeyPrefix),
    statusShard: `${petKeyPrefix}${pet.status}#${pet.id % BigInt(config.writeShards)}`,
    token,
  });
}

/** Returns whether the pet is stored under its id. False means that another pet has the id. */
export async function putNewPet(
  pet: Pet,
  token: string,
  petKeyPrefix: PetKeyPrefix,
): Promise<boolean> {
  const Item = petItem(pet, token, petKeyPrefix);
  const isFree = 'attribute_not_exists(pk)';
  try {
    await dynamoDbClient.send(new PutItemCommand({ TableName, Item, ConditionExpression: isFree }));
    countCreatedPet();
    return true;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    // The embedded engine lacks ReturnValuesOnConditionCheckFailure.
    const stored = await readPetItem(pet.id, petKeyPrefix);
    if (stored?.token === token) return true;
    log('pet_id_taken', { petId: pet.id });
    return false;
  }
}

export function petKey(id: bigint, petKeyPrefix: PetKeyPrefix): string {
  return `PET#${petKeyPrefix}${id}`;
}
