import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { config } from '../config.ts';
import { type Item, itemWriter, toItem } from '../dynamodb/attributes.ts';
import { dynamoDb, type RequestContext } from '../dynamodb/client.ts';
import { type CreationKey, createOnce } from '../dynamodb/createOnce.ts';
import { leaseIds } from '../dynamodb/ids.ts';
import { readPage } from '../dynamodb/pages.ts';
import { type ListPetsQuery, type NewPet, Pet, petStatuses } from '../schemas.ts';
import { petKey } from '../tables.ts';

const petIds = leaseIds('pets');

/** Returns the item of a new pet. The token identifies the request that writes it. */
export function toPetItem(pet: Pet, token: string): Item {
  return toItem({ ...pet, pk: petKey(pet.id), token });
}

/** Returns the JSON text of a stored pet, with every digit. Throws if the pet is damaged. */
const petJson = itemWriter(Pet);

/** Stores a new pet once, and returns it as JSON text. */
export async function addPet(newPet: NewPet, key: CreationKey, context: RequestContext) {
  const creation = {
    table: 'pets',
    ids: petIds,
    scope: 'pets',
    body: newPet,
    idName: 'petId',
    toItem: (id: bigint, token: string) => toPetItem({ id, ...newPet }, token),
  } as const;
  const { item, ...created } = await createOnce(creation, key, context);
  return { ...created, json: petJson(item) };
}

/** Returns a pet as JSON text, with strong consistency: it is found as soon as its creation is acknowledged. */
export async function findPet(
  id: bigint,
  { abortSignal }: RequestContext,
): Promise<string | undefined> {
  const read = new GetItemCommand({
    TableName: config().tableNames.pets,
    Key: { pk: { S: petKey(id) } },
    ConsistentRead: true,
  });
  const { Item } = await dynamoDb().send(read, { abortSignal });
  return Item && petJson(Item);
}

/** Reads a page of pets of one status, or of all, by ascending id. */
export function readPetPage({ status, ...page }: ListPetsQuery, context: RequestContext) {
  const list = {
    table: 'pets',
    index: 'byStatus',
    partitions: status ? [status] : petStatuses,
    order: 'ascending',
    name: `pets ${status ?? 'all'}`,
    toJson: petJson,
  } as const;
  return readPage(list, page, context);
}
