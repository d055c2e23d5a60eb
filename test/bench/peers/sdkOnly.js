import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';

// The smallest code that serves the same requests with the SDK. It has the API keys, calls, exact digits and
// client settings of the service, but no framework and no schema package.

const { createHash, randomUUID } = process.getBuiltinModule('node:crypto');

// variants.ts defines `timeouts` of lib/config.ts, and `connections`, the most calls of a request at once.
const { databaseAttempts, databaseConnectionMs, databaseResponseMs } = timeouts;

const plainClient = new DynamoDBClient({
  streamCollector: async (stream) => Buffer.concat(await stream.toArray()),
  maxAttempts: databaseAttempts,
  requestHandler: {
    connectionTimeout: databaseConnectionMs,
    requestTimeout: databaseResponseMs,
    throwOnRequestTimeout: true,
    socketTimeout: databaseResponseMs,
  },
});
plainClient.middlewareStack.remove('loggerMiddleware');
const client = DynamoDBDocumentClient.from(plainClient, {
  unmarshallOptions: { wrapNumbers: BigInt },
});

const { PETS_TABLE, API_KEYS_TABLE } = process.env;
const statuses = ['available', 'pending', 'sold'];

export async function handler({ httpMethod, headers, body, queryStringParameters }) {
  if (!(await isAuthenticated(headers.Authorization))) {
    return respond(401, '{"code":"unauthorized","message":"Send a key.","status":401}');
  }
  const response =
    httpMethod === 'POST' ? await createPet(body) : await listPets(queryStringParameters ?? {});
  const message = { level: 'INFO', message: 'Request handled', status: response.statusCode };
  process.stdout.write(`${JSON.stringify(message)}\n`);
  return response;
}

const rememberedKeys = new Map();

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

async function createPet(text) {
  const { name, categoryId, status } = JSON.parse(text, (key, value, { source }) =>
    key === 'categoryId' && /^-?\d{1,19}$/.test(source) ? BigInt(source) : value,
  );
  const isValid =
    typeof name === 'string' && typeof categoryId === 'bigint' && statuses.includes(status);
  if (!isValid) return respond(400, '{"code":"bad_request","message":"No pet.","status":400}');
  const { Attributes } = await client.send(
    new UpdateCommand({
      TableName: PETS_TABLE,
      Key: { pk: 'COUNTER' },
      UpdateExpression: 'ADD lastId :step',
      ExpressionAttributeValues: { ':step': 1 },
      ReturnValues: 'UPDATED_NEW',
    }),
  );
  const id = Attributes.lastId;
  const Item = { pk: `PET#${id}`, token: randomUUID(), id, name, categoryId, status };
  const isFree = 'attribute_not_exists(pk)';
  await client.send(new PutCommand({ TableName: PETS_TABLE, Item, ConditionExpression: isFree }));
  return respond(201, petJson(Item));
}

async function listPets({ limit = '20', status }) {
  const parts = await Promise.all(
    (status ? [status] : statuses).map((each) =>
      client.send(
        new QueryCommand({
          TableName: PETS_TABLE,
          IndexName: 'byStatus',
          KeyConditionExpression: '#status = :status AND id > :afterId',
          ExpressionAttributeNames: { '#status': 'status' },
          ExpressionAttributeValues: { ':status': each, ':afterId': 0 },
          Limit: Number(limit),
        }),
      ),
    ),
  );
  const pets = parts
    .flatMap(({ Items }) => Items)
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .slice(0, Number(limit));
  return respond(200, `[${pets.map(petJson).join(',')}]`);
}

function petJson({ id, name, categoryId, status }) {
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`;
}

function respond(statusCode, body) {
  return { statusCode, headers: { 'Content-Type': 'application/json' }, body };
}

// The reads that the service sends during the init phase.
const read = new GetCommand({ TableName: API_KEYS_TABLE, Key: { digest: 'none' } });
await Promise.all(Array.from({ length: connections }, () => client.send(read)));
globalThis.gc?.({ type: 'minor' });
