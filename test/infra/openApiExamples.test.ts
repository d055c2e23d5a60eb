import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { gatewayErrors } from '../../infra/constructs/gatewayErrors.ts';
import { issueApiKey } from '../../infra/tools/apiKeyRegistry.ts';
import { ApiError, errorStatuses } from '../../lib/errors.ts';
import {
  isReadMethod,
  type Operation,
  type OperationName,
  operationEntries,
} from '../../lib/operations.ts';
import { bearer, call, registry } from '../helpers/api.ts';
import { captureLog } from '../helpers/captureLog.ts';
import { emptyTables, interceptDatabase } from '../helpers/database.ts';
import { creationsOf, exampleRequest, preparationsOf } from '../helpers/exampleRequests.ts';
import { functions } from '../helpers/gateway.ts';
import { petNamed, rex } from '../helpers/samplePets.ts';

type Described = {
  content: { 'application/json': { example: { code: string; status: number } } };
};

const { paths, components } = JSON.parse(readFileSync('openapi.json', 'utf8'));

/** The example of the response of an operation, and `undefined` for 204. */
const exampleOf = ({ method, path, successStatus }: Operation) =>
  paths[path][method.toLowerCase()].responses[successStatus].content?.['application/json'].example;

/** Adds what the example of a list has, except its first item: the example of the creation adds it. */
async function addOthers(name: OperationName, row: Operation): Promise<void> {
  const creation = creationsOf(name).at(-1);
  const items = exampleOf(row);
  if (!creation || !Array.isArray(items)) return;
  const { pathParameters = {} } = exampleRequest(creation);
  for (const body of items.slice(1)) await call(functions[creation], { pathParameters, body });
}

describe.each(operationEntries)('the example of %s', (name, row) => {
  beforeAll(async () => {
    await emptyTables();
    for (const each of preparationsOf(name)) await call(functions[each], exampleRequest(each));
    await addOthers(name, row);
  });

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

const writes = operationEntries.filter(([, { method }]) => !isReadMethod(method));

async function sendReadOnly(name: OperationName) {
  const key = await issueApiKey(registry, { name: 'reader', readOnly: true });
  return call(functions[name], { ...exampleRequest(name), ...bearer(key) });
}

const isTooLarge = () => responseOfGateway('REQUEST_TOO_LARGE');

/** A request that causes each error of the document: one that operations share, or that of an operation. */
const causes: Record<string, () => Promise<{ json: unknown }>> = {
  ...Object.fromEntries(writes.map(([name]) => [`${name} forbidden`, () => sendReadOnly(name)])),
  'listPets bad_request': () => call(functions.listPets, { query: { limit: '0' } }),
  'listPets payload_too_large': isTooLarge,
  'createPet bad_request': () => call(functions.createPet, { body: { name: '' } }),
  'getPet bad_request': () => responseOfGateway('DEFAULT_4XX'),
  'getPet payload_too_large': isTooLarge,
  bad_request: () => responseOfGateway('DEFAULT_4XX'),
  unauthorized: () => call(functions.listPets, { headers: { Authorization: '' } }),
  forbidden: () => responseOfGateway('ACCESS_DENIED'),
  not_found: () => call(functions.getPet, { petId: '404' }),
  payload_too_large: () => call(functions.createPet, { body: 'x'.repeat(70_000) }),
  unsupported_media_type: () =>
    call(functions.createPet, { body: '{}', headers: { 'Content-Type': 'text/plain' } }),
  idempotency_key_reused: async () => {
    await call(functions.createPet, { idempotencyKey: 'reused', body: rex });
    return call(functions.createPet, { idempotencyKey: 'reused', body: petNamed('Max') });
  },
  too_many_requests: () => responseOfGateway('THROTTLED'),
  internal_error: () => failingDatabase(new TypeError('a bug')),
  service_unavailable: () => failingDatabase(new Error('a time-out')),
  gateway_timeout: () => responseOfGateway('INTEGRATION_TIMEOUT'),
};

/** The example of each error, with the operation whose response it is. */
const errorExamples = [
  ...Object.values<Described>(components.responses).map((response) => ({ name: '', response })),
  ...operationEntries.flatMap(([name, { method, path }]) =>
    Object.entries<Described>(paths[path][method.toLowerCase()].responses)
      .filter(([status, { content }]) => Number(status) >= 400 && content)
      .map(([, response]) => ({ name, response })),
  ),
].map(({ name, response }) => {
  const { example } = response.content['application/json'];
  return { what: `${name} ${example.code}`.trim(), example };
});

describe('the example of an error', () => {
  it.each(errorExamples)('is a real response: $what', async ({ what, example }) => {
    const cause =
      causes[what] ?? expect.fail(`Add to ${import.meta.filename} how this happens: ${what}.`);

    const { json } = await cause();

    expect(json).toEqual(example);
    expect(errorStatuses).toHaveProperty(example.code, example.status);
  });
});
