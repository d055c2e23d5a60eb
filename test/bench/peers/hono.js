import { createHash, randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { Hono } from 'hono';
import { handle } from 'hono/aws-lambda';
import { z } from 'zod';

// The same requests as the documentation of hono, zod and the SDK suggests them. It has the keys, calls,
// checks and digits of the service, and one log line, but no metrics and no idempotency.

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

const json = { 'Content-Type': 'application/json' };
const app = new Hono();

app.use(async (context, next) => {
  if (await isAuthenticated(context.req.header('authorization'))) return next();
  return context.json({ code: 'unauthorized', message: 'Send a key.', status: 401 }, 401);
});

const rememberedKeys = new Map();

/** Returns whether the header carries a valid key. A key is remembered for a minute. */
async function isAuthenticated(authorization = '') {
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

app.post('/v1/pets', async (context) => {
  const body = JSON.parse(await context.req.text(), (_key, value, { source }) =>
    typeof value === 'number' && /^-?\d+$/.test(source) ? BigInt(source) : value,
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
      Item: { pk: `PET#${pet.id}`, token: randomUUID(), ...pet },
      ConditionExpression: 'attribute_not_exists(pk)',
    }),
  );
  log('createPet', 201);
  return context.body(toJson(pet), 201, json);
});

app.get('/v1/pets', async (context) => {
  const { limit, status, cursor } = ListPetsQuery.parse(context.req.query());
  const afterId = cursor ? BigInt(Buffer.from(cursor, 'base64url').toString()) : 0n;
  const parts = await Promise.all(
    (status ? [status] : statuses).map(async (each) => {
      const { Items } = await client.send(
        new QueryCommand({
          TableName: PETS_TABLE,
          IndexName: 'byStatus',
          KeyConditionExpression: '#status = :status AND id > :afterId',
          ExpressionAttributeNames: { '#status': 'status' },
          ExpressionAttributeValues: { ':status': each, ':afterId': afterId },
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
  const link = next && { Link: `</v1/pets?cursor=${next}>; rel="next"` };
  return context.body(toJson(pets), 200, { ...json, ...link });
});

function toJson(value) {
  return JSON.stringify(value, (_key, member) =>
    typeof member === 'bigint' ? JSON.rawJSON(String(member)) : member,
  );
}

function log(operation, status) {
  const line = { level: 'INFO', message: 'Request handled', operation, status };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

export const handler = handle(app);
