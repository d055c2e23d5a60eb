import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { HttpResponse } from '@smithy/core/protocols';

export { streamCollector } from '@smithy/core/serde';

// Replaces `@smithy/node-http-handler` in the warm bench: the whole SDK runs, except the connection. It
// answers from memory, with one API key and 100 pets.

const { BENCH_API_KEY } = process.env;
const pets = Array.from({ length: 100 }, (_, index) => ({
  pk: { S: `PET#${index + 1}` },
  statusShard: { S: 'available#0' },
  token: { S: '8e03978e-40d5-43dd-bc93-6894a57f9324' },
  id: { N: String(index + 1) },
  name: { S: `Zoë von Fluff ${index + 1}` },
  categoryId: { N: '9007199254740993' },
  status: { S: 'available' },
}));
const { pk, statusShard, id } = pets.at(-1);

const responses = {
  GetItem: {
    Item: {
      digest: { S: createHash('sha256').update(BENCH_API_KEY).digest('hex') },
      name: { S: 'bench' },
      createdAtEpochSeconds: { N: '1' },
    },
  },
  PutItem: {},
  UpdateItem: { Attributes: { lastId: { N: '1000' } } },
  Query: {
    Items: pets,
    Count: 100,
    ScannedCount: 100,
    LastEvaluatedKey: { pk, statusShard, id },
  },
};
for (const [action, response] of Object.entries(responses)) {
  responses[action] = Buffer.from(JSON.stringify(response));
}

const headers = { 'content-type': 'application/x-amz-json-1.0' };

export class NodeHttpHandler {
  static create() {
    return new NodeHttpHandler();
  }

  async handle(request) {
    const action = request.headers['x-amz-target'].split('.')[1];
    const body = new Readable({
      read() {
        this.push(responses[action]);
        this.push(null);
      },
    });
    return { response: new HttpResponse({ statusCode: 200, reason: 'OK', headers, body }) };
  }

  updateHttpClientConfig() {}

  httpHandlerConfigs() {
    return {};
  }

  destroy() {}
}
