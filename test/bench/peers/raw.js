// The limit without an SDK, a framework and a schema package. It has the same keys and calls, signed by
// hand, but no retries, no time-outs of its own, and no renewal of credentials.

const { createHash, createHmac, randomUUID } = process.getBuiltinModule('node:crypto');
const https = process.getBuiltinModule('node:https');

const { PETS_TABLE, API_KEYS_TABLE, AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } =
  process.env;
const { AWS_SESSION_TOKEN, AWS_ENDPOINT_URL_DYNAMODB } = process.env;
const { hostname, port } = new URL(AWS_ENDPOINT_URL_DYNAMODB);
const host = `${hostname}:${port}`;
const agent = new https.Agent({ keepAlive: true });
const statuses = ['available', 'pending', 'sold'];

const sha256 = (text) => createHash('sha256').update(text).digest('hex');
const hmac = (key, text) => createHmac('sha256', key).update(text).digest();

let signingKey;
let signingKeyDate;

function sign(headers, body) {
  const names = Object.keys(headers).sort();
  const time = headers['x-amz-date'];
  const date = time.slice(0, 8);
  if (date !== signingKeyDate) {
    const scope = [date, AWS_REGION, 'dynamodb', 'aws4_request'];
    signingKey = scope.reduce(hmac, `AWS4${AWS_SECRET_ACCESS_KEY}`);
    signingKeyDate = date;
  }
  const canonical = `POST\n/\n\n${names.map((name) => `${name}:${headers[name]}\n`).join('')}\n${names.join(';')}\n${sha256(body)}`;
  const scope = `${date}/${AWS_REGION}/dynamodb/aws4_request`;
  const signature = hmac(
    signingKey,
    `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256(canonical)}`,
  ).toString('hex');
  return `AWS4-HMAC-SHA256 Credential=${AWS_ACCESS_KEY_ID}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
}

function callDynamoDb(action, input) {
  const body = JSON.stringify(input);
  const headers = {
    'content-type': 'application/x-amz-json-1.0',
    host,
    'x-amz-date': new Date().toISOString().replace(/[-:]|\.\d+/g, ''),
    'x-amz-security-token': AWS_SESSION_TOKEN,
    'x-amz-target': `DynamoDB_20120810.${action}`,
  };
  headers.authorization = sign(headers, body);
  headers['content-length'] = Buffer.byteLength(body);
  return new Promise((resolve, reject) => {
    const request = https.request(
      { hostname, port, method: 'POST', path: '/', headers, agent },
      (response) => {
        const chunks = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          if (response.statusCode === 200) resolve(JSON.parse(text));
          else reject(new Error(text));
        });
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

const rememberedKeys = new Map();

async function isAuthenticated(authorization = '') {
  const digest = sha256(authorization.replace(/^bearer +/i, ''));
  if (rememberedKeys.get(digest) > Date.now()) return true;
  const { Item } = await callDynamoDb('GetItem', {
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
  const { Attributes } = await callDynamoDb('UpdateItem', {
    TableName: PETS_TABLE,
    Key: { pk: { S: 'COUNTER' } },
    UpdateExpression: 'ADD lastId :step',
    ExpressionAttributeValues: { ':step': { N: '1' } },
    ReturnValues: 'UPDATED_NEW',
  });
  const id = Attributes.lastId.N;
  await callDynamoDb('PutItem', {
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
      callDynamoDb('Query', {
        TableName: PETS_TABLE,
        IndexName: 'byStatus',
        KeyConditionExpression: 'statusShard = :statusShard AND id > :afterId',
        ExpressionAttributeValues: { ':statusShard': { S: `${each}#0` }, ':afterId': { N: after } },
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

function petJson({ id, name, categoryId, status }) {
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`;
}

function respond(statusCode, body) {
  return { statusCode, headers: { 'Content-Type': 'application/json' }, body };
}

export async function handler({ httpMethod, headers, body, queryStringParameters }) {
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
}
