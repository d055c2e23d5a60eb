import {
  ConditionalCheckFailedException,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { config } from '../config.ts';
import { dynamoDb, type Item } from '../dynamodb/client.ts';
import { petKey } from '../dynamodb/tables.ts';
import type { Log } from '../logging.ts';
import type { NewPet } from '../schemas.ts';
import { nextPetId, skipTakenIds } from './petIds.ts';
import { petJson, toPetItem } from './petItem.ts';

export type AddedPet = {
  id: bigint;
  json: string;
  /** False if an earlier request with the same Idempotency-Key stored it. */
  isNew: boolean;
};

/**
 * Stores a new pet under an id that was never used.
 *
 * A retry after a lost response causes neither a second pet nor an error. An id that is taken
 * (a restore set the counter back) is skipped, never overwritten.
 */
export async function addPet(newPet: NewPet, log: Log): Promise<AddedPet> {
  const token = crypto.randomUUID();
  let id = await nextPetId();
  // A counter that was set back points into a dense range of taken ids. Doubling steps leave it
  // after about log2(range) attempts.
  for (let step = 2n; ; step *= 2n) {
    const pet = await putNewPet({ id, ...newPet }, token, log);
    if (pet) return pet;
    id = await skipTakenIds(step);
  }
}

/** Stores a pet under its id and returns it, or `undefined` if another pet has the id. */
export async function putNewPet(
  pet: NewPet & { id: bigint },
  token: string,
  log: Log,
): Promise<AddedPet | undefined> {
  const item = toPetItem(pet, token);
  const added = { id: pet.id, json: petJson(item) };
  const put = new PutItemCommand({
    TableName: config().petsTableName,
    Item: item,
    ConditionExpression: 'attribute_not_exists(pk)',
  });
  try {
    await dynamoDb().send(put);
    return { ...added, isNew: true };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    // The embedded engine lacks ReturnValuesOnConditionCheckFailure.
    const stored = await readPetItem(pet.id);
    if (stored?.token?.S === token) return { ...added, isNew: false };
    log('pet_id_taken', { petId: pet.id });
    return undefined;
  }
}

/** Returns a pet as JSON text, with strong consistency: it is found as soon as its creation is acknowledged. */
export async function findPet(id: bigint): Promise<string | undefined> {
  const item = await readPetItem(id);
  return item && petJson(item);
}

async function readPetItem(id: bigint): Promise<Item | undefined> {
  const read = new GetItemCommand({
    TableName: config().petsTableName,
    Key: { pk: { S: petKey(id) } },
    ConsistentRead: true,
  });
  const { Item } = await dynamoDb().send(read);
  return Item;
}
