import { createHash, randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { z } from 'zod';

// The logic of the service as the documentation of its packages suggests it, for every framework. It has
// the same keys, calls, checks and digits, and one log line, but no metrics and no idempotency.

const client = DynamoDBDocumentClient.from(new DynamoDBClient({}), {
  unmarshallOptions: { wrapNumbers: (text) => BigInt(text) },
});
const { PETS_TABLE, API_KEYS_TABLE } = process.env;
const statuses = ['available', 'pending', 'sold'];

const NewPet = z.object({
  name: z.string().min(1).max(255),
  categoryId: z.int64(),
  status: z.enum(statuses).default('available'),
});
const ListPetsQuery = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  status: z.enum(statuses).optional(),
  cursor: z.string().optional(),
});

const rememberedKeys = new Map();

/** Returns whether the header carries a valid key. A key is remembered for a minute. */
export async function isAuthenticated(authorization = '') {
  const digest = createHash('sha256')
    .update(authorization.replace(/^bearer +/i, ''))
    .digest('hex');
  if (rememberedKeys.get(digest) > Date.now()) return true;
  const { Item } = await client.send(
    new GetCommand({ TableName: API_KEYS_TABLE, Key: { digest }, ConsistentRead: true }),
  );
  if (!Item || Item.revokedAtEpochSeconds) return false;
  rememberedKeys.set(digest, Date.now() + 60_000);
  return true;
}

export async function createPet(text) {
  const body = JSON.parse(text, (_key, value, context) =>
    typeof value === 'number' && /^-?\d+$/.test(context.source) ? BigInt(context.source) : value,
  );
  const newPet = NewPet.parse(body);
  const { Attributes } = await client.send(
    new UpdateCommand({
      TableName: PETS_TABLE,
      Key: { pk: 'COUNTER' },
      UpdateExpression: 'ADD lastId :step',
      ExpressionAttributeValues: { ':step': 1n },
      ReturnValues: 'UPDATED_NEW',
    }),
  );
  const pet = { id: Attributes.lastId, ...newPet };
  await client.send(
    new PutCommand({
      TableName: PETS_TABLE,
      Item: { pk: `PET#${pet.id}`, statusShard: `${pet.status}#0`, token: randomUUID(), ...pet },
      ConditionExpression: 'attribute_not_exists(pk)',
    }),
  );
  log('createPet', 201);
  return toJson(pet);
}

export async function listPets(parameters) {
  const { limit, status, cursor } = ListPetsQuery.parse(parameters ?? {});
  const afterId = cursor ? BigInt(Buffer.from(cursor, 'base64url').toString()) : 0n;
  const parts = await Promise.all(
    (status ? [status] : statuses).map(async (each) => {
      const { Items } = await client.send(
        new QueryCommand({
          TableName: PETS_TABLE,
          IndexName: 'byStatus',
          KeyConditionExpression: 'statusShard = :statusShard AND id > :afterId',
          ExpressionAttributeValues: { ':statusShard': `${each}#0`, ':afterId': afterId },
          Limit: limit,
        }),
      );
      return Items;
    }),
  );
  const pets = parts
    .flat()
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .slice(0, limit)
    .map(({ id, name, categoryId, status }) => ({ id, name, categoryId, status }));
  const lastId = pets.at(-1)?.id;
  const next = pets.length === limit && Buffer.from(String(lastId)).toString('base64url');
  log('listPets', 200);
  return { text: toJson(pets), ...(next && { link: `</v1/pets?cursor=${next}>; rel="next"` }) };
}

function toJson(value) {
  return JSON.stringify(value, (_key, member) =>
    typeof member === 'bigint' ? JSON.rawJSON(String(member)) : member,
  );
}

function log(operation, status) {
  console.log(JSON.stringify({ level: 'INFO', message: 'Request handled', operation, status }));
}
