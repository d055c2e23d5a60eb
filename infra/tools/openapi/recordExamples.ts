import { config } from '../../../lib/config.ts';
import { dynamoDb } from '../../../lib/dynamodb/client.ts';
import { ApiError } from '../../../lib/errors.ts';
import type { RawEvent } from '../../../lib/http/event.ts';
import type { Handler } from '../../../lib/http/handler.ts';
import { type OperationName, operationEntries } from '../../../lib/operations.ts';
import { gatewayErrors } from '../../gatewayErrors.ts';
import { issueApiKey } from '../apiKeyRegistry.ts';
import { type Examples, exampleId } from './describeResponses.ts';

type Handlers = Record<OperationName, Handler>;

const rex = '{"name":"Rex","categoryId":7}';

/**
 * Records the bodies of real responses: what the handlers answer on an empty database, what they
 * answer when it fails, and what the gateway answers by itself.
 */
export async function recordExamples(handlers: Handlers): Promise<Examples> {
  const apiKey = await issueApiKey(
    { stage: config.stage, tableName: config.apiKeysTableName },
    { name: 'examples' },
  );
  const headers = { authorization: `Bearer ${apiKey}` };
  const examples: Examples = new Map();

  for (const [name] of operationEntries) {
    for (const { code, message } of Object.values(gatewayErrors)) {
      const error = new ApiError(code, message);
      examples.set(exampleId(name, error.status), error.toJSON());
    }
  }

  const record = async (name: OperationName, event: RawEvent) => {
    const { statusCode, body } = await handlers[name]({ headers, ...event });
    examples.set(exampleId(name, statusCode), JSON.parse(body));
  };
  const keyed = { ...headers, 'idempotency-key': '8e03978e-40d5-43dd-bc93-6894a57f9324' };

  await record('createPet', { headers: keyed, body: rex });
  await record('createPet', { headers: keyed, body: rex.replace('7', '8') });
  await record('createPet', { body: '{"name":" ","categoryId":1.5}' });
  await record('createPet', { body: 'x'.repeat(70_000) });
  await record('createPet', { headers: { ...headers, 'content-type': 'text/plain' }, body: rex });
  await handlers.createPet({ headers, body: '{"name":"Mia","categoryId":9,"status":"sold"}' });
  await record('listPets', {});
  await record('listPets', { queryStringParameters: { limit: '0' } });
  await record('getPet', { pathParameters: { petId: '1' } });
  await record('getPet', { pathParameters: { petId: '404' } });

  const requests: Record<OperationName, RawEvent> = {
    listPets: {},
    createPet: { body: rex },
    getPet: { pathParameters: { petId: '1' } },
  };
  for (const [name] of operationEntries) await record(name, { headers: {} });
  for (const error of [new TypeError('a bug'), new Error('a time-out')]) {
    dynamoDb.config.requestHandler.handle = async () => {
      throw error;
    };
    for (const [name] of operationEntries) await record(name, requests[name]);
  }
  return examples;
}
