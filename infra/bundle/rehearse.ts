import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Script } from 'node:vm';
import { apiKeyDigest, createApiKey } from '../../lib/apiKeys/apiKey.ts';
import type { RawEvent } from '../../lib/http/event.ts';
import { operations } from '../../lib/operations.ts';
import { functionEnvironment } from '../functionEnvironment.ts';
import { codeCacheName } from './codeCacheName.ts';

// Runs a bundle once, before a database that knows one key and one pet, and keeps what V8 compiled
// on the way. A process of its own: V8 forgets nothing that a process ever ran.

const [, , name = '', folder = ''] = process.argv;
const stage = 'build';
const apiKey = createApiKey(stage);

const pet = { id: { N: '1' }, name: { S: 'Rex' }, categoryId: { N: '1' }, status: { S: 'sold' } };
const answers: Record<string, unknown> = {
  GetItem: {
    Item: {
      digest: { S: apiKeyDigest(apiKey) },
      createdAtEpochSeconds: { N: '1' },
      ...pet,
    },
  },
  PutItem: {},
  Query: { Items: [pet] },
  UpdateItem: { Attributes: { lastId: { N: '1000' } } },
};

const database = createServer((request, response) => {
  const action = String(request.headers['x-amz-target']).split('.')[1] ?? '';
  request.resume().on('end', () => {
    response.setHeader('Content-Type', 'application/x-amz-json-1.0');
    response.end(JSON.stringify(answers[action]));
  });
});
await new Promise<void>((resolve) => database.listen(0, '127.0.0.1', resolve));

Object.assign(process.env, {
  AWS_LAMBDA_FUNCTION_NAME: name,
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'build',
  AWS_SECRET_ACCESS_KEY: 'build',
  AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${(database.address() as AddressInfo).port}`,
  ...functionEnvironment({
    stage,
    tableNames: { pets: 'pets', apiKeys: 'keys', idempotency: 'idempotency' },
    shards: 1,
    idsPerLease: 1,
  }),
});

const operation = name in operations ? operations[name as keyof typeof operations] : undefined;
const event: RawEvent = {
  httpMethod: operation?.method ?? 'GET',
  path: '/v1/pets',
  headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
  pathParameters: { petId: '1' },
  requestContext: { requestId: '1', domainName: 'localhost', path: '/v1/pets' },
  body: '{"name":"Rex","categoryId":1}',
};

const filename = `${folder}/bundle.js`;
const script = new Script(readFileSync(filename, 'latin1'), { filename });
const bundle = { exports: {} as { handler: CallableFunction; warmUp?: () => Promise<void> } };
script.runInThisContext()(bundle);
if (bundle.exports.warmUp) {
  await bundle.exports.warmUp();
  const { statusCode } = await bundle.exports.handler(event, { functionName: name });
  assert.equal(statusCode, operation?.successStatus ?? 405);
}

writeFileSync(`${folder}/${codeCacheName}`, script.createCachedData());
process.exit();
