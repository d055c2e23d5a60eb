import { hash } from 'node:crypto';
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { config } from '../config.ts';
import { type Item, itemWriter, toItem } from '../dynamodb/attributes.ts';
import { dynamoDb, putIf, type RequestContext } from '../dynamodb/client.ts';
import { agreeOnPlan, changeId } from '../dynamodb/idempotency.ts';
import { leaseIds } from '../dynamodb/ids.ts';
import { readPage } from '../dynamodb/pages.ts';
import { stringifyExactJson } from '../int64.ts';
import { type ListPetsQuery, type NewPet, Pet, petStatuses } from '../schemas.ts';
import { petKey } from '../tables.ts';

const petIds = leaseIds('pets');

/** Returns the item of a new pet. The token identifies the request that writes it. */
export function toPetItem(pet: Pet, token: string): Item {
  return toItem({ ...pet, pk: petKey(pet.id), token });
}

/** Returns the JSON text of a stored pet, with every digit. Throws if the pet is damaged. */
const petJson = itemWriter(Pet);

type AddedPet = {
  id: bigint;
  json: string;
  /** True if an earlier request had used the Idempotency-Key. */
  isReplayed: boolean;
};

/**
 * Stores a new pet under an id that was never used, once for all calls of an API key with the same
 * Idempotency-Key within 24 hours.
 *
 * A retry after a lost response causes neither a second pet nor an error. An id that is taken
 * (the counter was set back) is skipped, never overwritten.
 */
export async function addPet(
  newPet: NewPet,
  { apiKeyId, idempotencyKey }: { apiKeyId: string; idempotencyKey: string | undefined },
  context: RequestContext,
): Promise<AddedPet> {
  const scopedKey = idempotencyKey && `pets#${apiKeyId}#${idempotencyKey}`;
  const token = crypto.randomUUID();
  let resourceId = await petIds.nextId(context);
  // A counter that was set back points into a dense range of taken ids. Doubling steps leave it
  // after about log2(range) attempts.
  for (let step = 2n; ; step *= 2n) {
    const own = { resourceId, token };
    const plan = scopedKey
      ? await agreeOnPlan({ scopedKey, fingerprint: fingerprintOf(newPet), ...own }, context)
      : own;
    const id = plan.resourceId;
    // Before the pet is stored, so that a request without a response names its pet too.
    context.logFields.petId = id;
    const item = toPetItem({ id, ...newPet }, plan.token);
    const isFree = { ConditionExpression: 'attribute_not_exists(pk)' };
    const stored = await putIf('pets', item, isFree, context);
    // With the same token, an earlier attempt stored it.
    if (!stored || stored.token?.S === plan.token) {
      return { id, json: petJson(item), isReplayed: plan.token !== token };
    }
    context.log('id_taken', { table: 'pets', id });
    resourceId = await petIds.skipTakenIds(step, context);
    if (scopedKey) await changeId({ scopedKey, ...plan }, resourceId, context);
  }
}

/** Hashes the validated body: the order of members or an omitted default make no difference. */
export function fingerprintOf(newPet: NewPet): string {
  // Without the optional fields that it lacks: a new one changes no stored fingerprint.
  return hash('sha256', stringifyExactJson(newPet), 'hex');
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
    partitionKey: 'status',
    partitions: status ? [status] : petStatuses,
    name: `pets ${status ?? 'all'}`,
    toJson: petJson,
  } as const;
  return readPage(list, page, context);
}
