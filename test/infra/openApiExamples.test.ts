import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { gatewayErrors } from '../../infra/constructs/gatewayErrors.ts';
import { ApiError, errorStatuses } from '../../lib/errors.ts';
import type { Operation, OperationName } from '../../lib/operations.ts';
import { call } from '../helpers/api.ts';
import { captureLog } from '../helpers/captureLog.ts';
import { interceptDatabase } from '../helpers/database.ts';
import { creationOf, creationsFirst, exampleRequest } from '../helpers/exampleRequests.ts';
import { functions } from '../helpers/gateway.ts';
import { petNamed, rex } from '../helpers/samplePets.ts';

const { paths, components } = JSON.parse(readFileSync('openapi.json', 'utf8'));

/** The example of the response of an operation, and `undefined` for 204. */
const exampleOf = ({ method, path, successStatus }: Operation) =>
  paths[path][method.toLowerCase()].responses[successStatus].content?.['application/json'].example;

/** Adds what the example of a list has, except its first item: the example of the creation adds it. */
async function addOthers(name: OperationName, row: Operation): Promise<void> {
  const creation = creationOf(name);
  const items = exampleOf(row);
  if (!creation || !Array.isArray(items)) return;
  for (const body of items.slice(1)) await call(functions[creation], { body });
}

describe.each(creationsFirst)('the example of %s', (name, row) => {
  beforeAll(() => addOthers(name, row));

  it('is the real response to its request', async () => {
    const { status, json } = await call(functions[name], exampleRequest(name));

    expect(status).toBe(row.successStatus);
    expect(json || undefined).toEqual(exampleOf(row));
  });
});

const responseOfGateway = async (type: string) => {
  const { code, message } = gatewayErrors[type] ?? expect.fail();
  return { json: new ApiError(code, message).toJSON() };
};

const failingDatabase = (error: Error) => {
  captureLog();
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
    return call(functions.createPet, { idempotencyKey: 'reused', body: petNamed('Max') });
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
