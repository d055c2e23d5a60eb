import assert from 'node:assert/strict';
import type { RawEvent } from '../../lib/http/event.ts';
import type { OperationName } from '../../lib/operations.ts';
import type { FunctionResponse } from './cold/lambdaRuntime.ts';

export const measuredOperations = ['createPet', 'listPets'] as const;
export type MeasuredOperation = (typeof measuredOperations)[number];

/** The pet to create. No double holds its categoryId, so rounding would show. */
const newPet = { name: 'Zoë von Fluff', categoryId: 9007199254740993n, status: 'pending' };
const newPetText = `{"name":"${newPet.name}","categoryId":${newPet.categoryId},"status":"${newPet.status}"}`;

/** Returns the event of a request, with everything that a REST API of API Gateway sends. */
export function requestEvent(
  operation: OperationName,
  apiKey: string,
  query: Record<string, string> = {},
  petId?: string,
): RawEvent & Record<string, unknown> {
  const method = operation === 'createPet' ? 'POST' : 'GET';
  const headers: Record<string, string> = {
    Accept: '*/*',
    'Accept-Encoding': 'gzip, br',
    Authorization: `Bearer ${apiKey}`,
    ...(method === 'POST' && { 'Content-Type': 'application/json' }),
    Host: 'abc123.execute-api.eu-west-1.amazonaws.com',
    'User-Agent': 'bench/1.0',
    'X-Amzn-Trace-Id': 'Root=1-5759e988-bd862e3fe1be46a994272793',
    'X-Forwarded-For': '192.0.2.1',
    'X-Forwarded-Port': '443',
    'X-Forwarded-Proto': 'https',
  };
  const hasQuery = Object.keys(query).length > 0;
  const path = petId === undefined ? '/v1/pets' : `/v1/pets/${petId}`;
  const resource = petId === undefined ? '/v1/pets' : '/v1/pets/{petId}';
  return {
    resource,
    path,
    httpMethod: method,
    headers,
    multiValueHeaders: inLists(headers),
    queryStringParameters: hasQuery ? query : null,
    multiValueQueryStringParameters: hasQuery ? inLists(query) : null,
    pathParameters: petId === undefined ? null : { petId },
    stageVariables: null,
    requestContext: {
      accountId: '123456789012',
      apiId: 'abc123',
      domainName: 'abc123.execute-api.eu-west-1.amazonaws.com',
      httpMethod: method,
      identity: { sourceIp: '192.0.2.1', userAgent: 'bench/1.0' },
      path: `/v1-staging${path}`,
      protocol: 'HTTP/1.1',
      requestId: 'a4faa39b-083f-4765-a94f-1be800ef80be',
      requestTime: '20/Nov/2026:12:00:00 +0000',
      requestTimeEpoch: 1_795_176_000_000,
      resourcePath: resource,
      stage: 'v1-staging',
    } as RawEvent['requestContext'],
    body: method === 'POST' ? newPetText : null,
    isBase64Encoded: false,
  };
}

function inLists(map: Record<string, string>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, [value]]));
}

/** Asserts that a variant created the whole pet, with every digit. Returns its id. */
export function checkCreated(response: FunctionResponse): bigint {
  const { name, categoryId, status } = newPet;
  const form = `{"id":(\\d+),"name":"${name}","categoryId":${categoryId},"status":"${status}"}`;
  const [, id] = new RegExp(`^${form}$`).exec(response.body) ?? [];
  assert(response.statusCode === 201 && id, `${response.statusCode}: ${response.body}`);
  return BigInt(id);
}

/** Asserts that a variant listed 100 pets, with every digit. Returns their text. */
export function checkListed({ statusCode, body }: FunctionResponse): string {
  assert.equal(statusCode, 200, body);
  assert.equal(JSON.parse(body).length, 100);
  return body;
}

/** Checks one of the responses that are timed. */
export function checkResponse(operation: MeasuredOperation, response: FunctionResponse): void {
  if (operation === 'createPet') checkCreated(response);
  else assert(checkListed(response).includes(`"categoryId":${newPet.categoryId}`));
}
