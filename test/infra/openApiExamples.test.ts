import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { gatewayErrors } from '../../infra/definitions/gatewayErrors.ts';
import { operationTexts } from '../../infra/openapi/texts.ts';
import { ApiError, errorStatuses } from '../../lib/errors.ts';
import type { RawEvent } from '../../lib/http/event.ts';
import { type Operation, type OperationName, operationEntries } from '../../lib/operations.ts';
import { call } from '../helpers/api.ts';
import { interceptDatabase } from '../helpers/database.ts';
import { functions } from '../helpers/gateway.ts';
import { petWithInteger, rex } from '../helpers/samplePets.ts';

type Parameter = { name: string; in: string; example?: unknown };

const { paths, components } = JSON.parse(readFileSync('openapi.json', 'utf8'));

/** Sends the request that the examples of an operation describe. */
function callAsInExample(name: OperationName) {
  const [, { method, path }] = operationEntries.find(([each]) => each === name) ?? expect.fail();
  const { parameters, requestBody } = paths[path][method.toLowerCase()];
  const examplesIn = (place: string): Record<string, string> =>
    Object.fromEntries(
      (parameters as Parameter[])
        .filter((parameter) => parameter.in === place && parameter.example !== undefined)
        .map((parameter) => [parameter.name, String(parameter.example)]),
    );
  const pathParameters = examplesIn('path');
  const event: RawEvent = {
    httpMethod: method,
    path: `/v1${path.replaceAll(/\{(\w+)\}/g, (_, each) => pathParameters[each] ?? '')}`,
    pathParameters,
  };
  return call(functions[name], {
    headers: examplesIn('header'),
    query: examplesIn('query'),
    ...(requestBody && { body: requestBody.content['application/json'].example }),
    event,
  });
}

const isCreation = ({ method }: Operation) => method === 'POST';
const isRead = ({ method }: Operation) => method === 'GET';
const creations = operationEntries.filter(([, row]) => isCreation(row));
const reads = operationEntries.filter(([, row]) => isRead(row));
const changes = operationEntries.filter(([, row]) => !isCreation(row) && !isRead(row));

const [, secondPet] = operationTexts.listPets.response.example;

// In this order: the store is empty at the first creation, and holds both sample pets for the reads.
describe.each([...creations, ...reads, ...changes])('the example of %s', (name, row) => {
  beforeAll(async () => {
    if (name === reads[0]?.[0]) await call(functions.createPet, { body: secondPet });
  });

  it('is the real response to its request', async () => {
    const { responses } = paths[row.path][row.method.toLowerCase()];
    const { example } = responses[row.successStatus].content['application/json'];

    const { status, json } = await callAsInExample(name);

    expect(status).toBe(row.successStatus);
    expect(json).toEqual(example);
  });
});

const responseOfGateway = async (type: string) => {
  const { code, message } = gatewayErrors[type] ?? expect.fail();
  return { json: new ApiError(code, message).toJSON() };
};

const failingDatabase = (error: Error) => {
  interceptDatabase(() => Promise.reject(error));
  return call(functions.listPets);
};

/** A request that causes each error of the document. */
const causes: Record<string, () => Promise<{ json: unknown }>> = {
  BadRequest: () => call(functions.listPets, { query: { limit: '0' } }),
  Unauthorized: () => call(functions.listPets, { headers: { Authorization: '' } }),
  Forbidden: () => responseOfGateway('ACCESS_DENIED'),
  NotFound: () => call(functions.getPet, { petId: '404' }),
  PayloadTooLarge: () => call(functions.createPet, { body: 'x'.repeat(70_000) }),
  UnsupportedMediaType: () =>
    call(functions.createPet, { body: '{}', headers: { 'Content-Type': 'text/plain' } }),
  IdempotencyKeyReused: async () => {
    await call(functions.createPet, { idempotencyKey: 'reused', body: rex });
    return call(functions.createPet, { idempotencyKey: 'reused', body: petWithInteger(8n) });
  },
  TooManyRequests: () => responseOfGateway('THROTTLED'),
  InternalError: () => failingDatabase(new TypeError('a bug')),
  ServiceUnavailable: () => failingDatabase(new Error('a time-out')),
  GatewayTimeout: () => responseOfGateway('INTEGRATION_TIMEOUT'),
};

describe('the example of an error', () => {
  it.each(Object.keys(components.responses))('%s is a real response', async (name) => {
    const { example } = components.responses[name].content['application/json'];
    const cause =
      causes[name] ?? expect.fail(`Add to ${import.meta.filename} how ${name} happens.`);

    const { json } = await cause();

    expect(json).toEqual(example);
    expect(errorStatuses).toHaveProperty(example.code, example.status);
  });
});
