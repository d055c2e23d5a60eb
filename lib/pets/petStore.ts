import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { config } from '../config.ts';
import { dynamoDb, type Item, type RequestContext, readItem } from '../dynamodb/client.ts';
import { type CreationKey, createOnce } from '../dynamodb/createOnce.ts';
import { leaseIds } from '../dynamodb/ids.ts';
import { readPage } from '../dynamodb/pages.ts';
import { type ListPetsQuery, type NewPet, Pet } from '../schemas.ts';
import { petCollection, petKey } from '../tables.ts';

const petIds = leaseIds('pets');

/** Returns the item of a new pet. The token identifies the request that writes it. */
export function toPetItem(pet: Pet, token: string): Item {
  return { ...pet, pk: petKey(pet.id), collection: petCollection, token };
}

/** Stores a new pet once, and returns it. */
export async function addPet(newPet: NewPet, key: CreationKey, context: RequestContext) {
  const creation = {
    table: 'pets',
    ids: petIds,
    scope: petCollection,
    body: newPet,
    idName: 'petId',
    toItem: (id: bigint, token: string) => toPetItem({ id, ...newPet }, token),
  } as const;
  const { id, isReplayed } = await createOnce(creation, key, context);
  const pet: Pet = { id, ...newPet };
  return { pet, isReplayed };
}

/** Reads a pet with strong consistency: it is found as soon as its creation is acknowledged. */
export async function findPet(id: bigint, context: RequestContext): Promise<Pet | undefined> {
  const pk = petKey(id);
  const read = new GetCommand({
    TableName: config().tableNames.pets,
    Key: { pk },
    ConsistentRead: true,
  });
  const { Item } = await dynamoDb().send(read, { abortSignal: context.abortSignal });
  return Item && readItem(Pet, Item, { table: 'pets', pk }, context);
}

/**
 * Reads a page of pets of one status, or of all, by ascending id.
 *
 * One partition of an index serves each of these lists and its creates. For more than that, add an index whose
 * partition key ends in `#<id mod 4>`, store this key in old pets too, and merge four queries.
 */
export function readPetPage({ status, ...page }: ListPetsQuery, context: RequestContext) {
  const list = status
    ? ({ index: 'byStatus', partition: status } as const)
    : ({ index: 'byCollection', partition: petCollection } as const);
  return readPage({ table: 'pets', ...list, schema: Pet }, page, context);
}
