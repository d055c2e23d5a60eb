import {
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';

// The smallest code that serves the same requests with the SDK. It has the API keys, calls, exact digits and
// client settings of the service, but no framework and no schema package.

const { createHash, randomUUID } = process.getBuiltinModule('node:crypto');

const client = new DynamoDBClient({
  streamCollector: async (stream) => Buffer.concat(await stream.toArray()),
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 2_000, throwOnRequestTimeout: true },
});
client.middlewareStack.remove('loggerMiddleware');

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

/** Sends the reads that the service sends during the init phase. */
export async function warmUp(connections) {
  const read = { TableName: API_KEYS_TABLE, Key: { digest: { S: 'none' } } };
  await Promise.all(
    Array.from({ length: connections }, () => client.send(new GetItemCommand(read))),
  );
}

const rememberedKeys = new Map();

async function isAuthenticated(authorization = '') {
  const digest = createHash('sha256')
    .update(authorization.replace(/^bearer +/i, ''))
    .digest('hex');
  if (rememberedKeys.get(digest) > Date.now()) return true;
  const Key = { digest: { S: digest } };
  const { Item } = await client.send(
    new GetItemCommand({ TableName: API_KEYS_TABLE, Key, ConsistentRead: true }),
  );
  if (!Item || Item.revokedAtEpochSeconds) return false;
  rememberedKeys.set(digest, Date.now() + 60_000);
  return true;
}

async function createPet(text) {
  const { name, categoryId, status } = JSON.parse(text, (key, value, { source }) =>
    key === 'categoryId' ? source : value,
  );
  const isValid =
    typeof name === 'string' && /^-?\d{1,19}$/.test(categoryId) && statuses.includes(status);
  if (!isValid) return respond(400, '{"code":"bad_request","message":"No pet.","status":400}');
  const { Attributes } = await client.send(
    new UpdateItemCommand({
      TableName: PETS_TABLE,
      Key: { pk: { S: 'COUNTER' } },
      UpdateExpression: 'ADD lastId :step',
      ExpressionAttributeValues: { ':step': { N: '1' } },
      ReturnValues: 'UPDATED_NEW',
    }),
  );
  const Item = {
    pk: { S: `PET#${Attributes.lastId.N}` },
    token: { S: randomUUID() },
    id: Attributes.lastId,
    name: { S: name },
    categoryId: { N: categoryId },
    status: { S: status },
  };
  const isFree = 'attribute_not_exists(pk)';
  await client.send(
    new PutItemCommand({ TableName: PETS_TABLE, Item, ConditionExpression: isFree }),
  );
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
          ExpressionAttributeValues: { ':status': { S: each }, ':afterId': { N: '0' } },
          Limit: Number(limit),
        }),
      ),
    ),
  );
  const pets = parts
    .flatMap(({ Items }) => Items)
    .sort((a, b) => (BigInt(a.id.N) < BigInt(b.id.N) ? -1 : 1))
    .slice(0, Number(limit));
  return respond(200, `[${pets.map(petJson).join(',')}]`);
}

function petJson({ id, name, categoryId, status }) {
  return `{"id":${id.N},"name":${JSON.stringify(name.S)},"categoryId":${categoryId.N},"status":"${status.S}"}`;
}

function respond(statusCode, body) {
  return { statusCode, headers: { 'Content-Type': 'application/json' }, body };
}
