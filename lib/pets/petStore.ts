import { hash } from 'node:crypto';
import {
  ConditionalCheckFailedException,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { config } from '../config.ts';
import type { Item } from '../dynamodb/attributes.ts';
import { dynamoDb } from '../dynamodb/client.ts';
import { addOnce } from '../dynamodb/idempotency.ts';
import { leaseIds } from '../dynamodb/ids.ts';
import { readPage } from '../dynamodb/pages.ts';
import { petKey } from '../dynamodb/tables.ts';
import { stringifyExactJson } from '../int64.ts';
import type { Log } from '../logging.ts';
import { type ListPetsQuery, type NewPet, petStatuses } from '../schemas.ts';
import { petJson, statusShardsOf, toPetItem } from './petItem.ts';

const petIds = leaseIds('pets');

type AddedPet = {
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
  let id = await petIds.nextId();
  // A counter that was set back points into a dense range of taken ids. Doubling steps leave it
  // after about log2(range) attempts.
  for (let step = 2n; ; step *= 2n) {
    const pet = await putPet({ id, ...newPet }, token, log);
    if (pet) return pet;
    id = await petIds.skipTakenIds(step);
  }
}

/** Stores a new pet once for all calls of an API key with the same Idempotency-Key within 24 hours. */
export function addPetOnce(
  newPet: NewPet,
  { apiKeyId, idempotencyKey }: { apiKeyId: string; idempotencyKey: string },
  log: Log,
): Promise<AddedPet> {
  return addOnce({
    scopedKey: `${apiKeyId}#${idempotencyKey}`,
    fingerprint: fingerprintOf(newPet),
    ids: petIds,
    put: (id, token) => putPet({ id, ...newPet }, token, log),
  });
}

/**
 * Hashes the validated body: the order of members or an omitted default make no difference.
 *
 * Records of earlier releases must stay valid. So a later field counts only if the request has it.
 */
export function fingerprintOf({ name, categoryId, status, ...laterFields }: NewPet): string {
  const fields = [name, categoryId, status, ...Object.entries(laterFields)];
  return hash('sha256', stringifyExactJson(fields), 'hex');
}

/** Stores a pet under its id and returns it, or `undefined` if another pet has the id. */
async function putPet(
  pet: NewPet & { id: bigint },
  token: string,
  log: Log,
): Promise<AddedPet | undefined> {
  const item = toPetItem(pet, token);
  const added = { id: pet.id, json: petJson(item) };
  const put = new PutItemCommand({
    TableName: config().tableNames.pets,
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
    log('id_taken', { table: 'pets', id: pet.id });
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
    TableName: config().tableNames.pets,
    Key: { pk: { S: petKey(id) } },
    ConsistentRead: true,
  });
  const { Item } = await dynamoDb().send(read);
  return Item;
}

/** Reads a page of pets of one status, or of all, by ascending id. */
export function readPetPage({ status, ...page }: ListPetsQuery, log: Log) {
  const list = {
    table: 'pets',
    index: 'byStatus',
    partitions: statusShardsOf(status ? [status] : petStatuses),
    name: status ?? 'all',
    toJson: petJson,
  } as const;
  return readPage(list, page, log);
}
