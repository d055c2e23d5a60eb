// The least that serves the same requests: the keys, calls and digits of the service, without a framework
// and a schema package.

const { createHash, randomUUID } = process.getBuiltinModule('node:crypto');

const { PETS_TABLE, API_KEYS_TABLE } = process.env;
const statuses = ['available', 'pending', 'sold'];

/** Returns a handler whose calls of DynamoDB go through `call(action, input)`. */
export function serviceThrough(call) {
  const rememberedKeys = new Map();

  async function isAuthenticated(authorization = '') {
    const digest = createHash('sha256')
      .update(authorization.replace(/^bearer +/i, ''))
      .digest('hex');
    if (rememberedKeys.get(digest) > Date.now()) return true;
    const { Item } = await call('GetItem', {
      TableName: API_KEYS_TABLE,
      Key: { digest: { S: digest } },
      ConsistentRead: true,
    });
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
    const { Attributes } = await call('UpdateItem', {
      TableName: PETS_TABLE,
      Key: { pk: { S: 'COUNTER' } },
      UpdateExpression: 'ADD lastId :step',
      ExpressionAttributeValues: { ':step': { N: '1' } },
      ReturnValues: 'UPDATED_NEW',
    });
    const id = Attributes.lastId.N;
    await call('PutItem', {
      TableName: PETS_TABLE,
      Item: {
        pk: { S: `PET#${id}` },
        statusShard: { S: `${status}#0` },
        token: { S: randomUUID() },
        id: { N: id },
        name: { S: name },
        categoryId: { N: categoryId },
        status: { S: status },
      },
      ConditionExpression: 'attribute_not_exists(pk)',
    });
    return respond(201, petJson({ id, name, categoryId, status }));
  }

  async function listPets({ limit = '20', status, cursor } = {}) {
    const after = cursor ? Buffer.from(cursor, 'base64url').toString() : '0';
    const parts = await Promise.all(
      (status ? [status] : statuses).map((each) =>
        call('Query', {
          TableName: PETS_TABLE,
          IndexName: 'byStatus',
          KeyConditionExpression: 'statusShard = :statusShard AND id > :afterId',
          ExpressionAttributeValues: {
            ':statusShard': { S: `${each}#0` },
            ':afterId': { N: after },
          },
          Limit: Number(limit),
        }),
      ),
    );
    const pets = parts
      .flatMap(({ Items }) => Items)
      .map(({ id, name, categoryId, status }) => ({
        id: id.N,
        name: name.S,
        categoryId: categoryId.N,
        status: status.S,
      }))
      .sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1))
      .slice(0, Number(limit));
    return respond(200, `[${pets.map(petJson).join(',')}]`);
  }

  return async ({ httpMethod, headers, body, queryStringParameters }) => {
    if (!(await isAuthenticated(headers.Authorization))) {
      return respond(401, '{"code":"unauthorized","message":"Send a key.","status":401}');
    }
    const response =
      httpMethod === 'POST'
        ? await createPet(body)
        : await listPets(queryStringParameters ?? undefined);
    console.log(
      JSON.stringify({ level: 'INFO', message: 'Request handled', status: response.statusCode }),
    );
    return response;
  };
}

function petJson({ id, name, categoryId, status }) {
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`;
}

function respond(statusCode, body) {
  return { statusCode, headers: { 'Content-Type': 'application/json' }, body };
}
