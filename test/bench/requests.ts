import assert from 'node:assert/strict';
import { withoutId } from '../helpers/samplePets.ts';
import { newPetText, pageOf } from './database.ts';
import type { FunctionResponse } from './startFunction.ts';

export const measuredOperations = ['createPet', 'listPets'] as const;
export type MeasuredOperation = (typeof measuredOperations)[number];

export type RequestEvent = ReturnType<typeof requestEvent>;

/** Returns the event of a request, with everything that a REST API of API Gateway sends. */
export function requestEvent(
  operation: MeasuredOperation,
  apiKey: string,
  query: Record<string, string> | null,
) {
  const httpMethod = operation === 'createPet' ? 'POST' : 'GET';
  const headers: Record<string, string> = {
    Accept: '*/*',
    'Accept-Encoding': 'gzip, br',
    Authorization: `Bearer ${apiKey}`,
    ...(httpMethod === 'POST' && { 'Content-Type': 'application/json' }),
    Host: 'abc123.execute-api.eu-west-1.amazonaws.com',
    'User-Agent': 'bench/1.0',
    'X-Amzn-Trace-Id': 'Root=1-5759e988-bd862e3fe1be46a994272793',
    'X-Forwarded-For': '192.0.2.1',
    'X-Forwarded-Port': '443',
    'X-Forwarded-Proto': 'https',
  };
  return {
    resource: '/v1/pets',
    path: '/v1/pets',
    httpMethod,
    headers,
    multiValueHeaders: inLists(headers),
    queryStringParameters: query,
    multiValueQueryStringParameters: query && inLists(query),
    pathParameters: null,
    stageVariables: null,
    requestContext: {
      accountId: '123456789012',
      apiId: 'abc123',
      domainName: 'abc123.execute-api.eu-west-1.amazonaws.com',
      httpMethod,
      identity: { sourceIp: '192.0.2.1', userAgent: 'bench/1.0' },
      path: '/v1-staging/v1/pets',
      protocol: 'HTTP/1.1',
      requestId: 'a4faa39b-083f-4765-a94f-1be800ef80be',
      requestTime: '20/Nov/2026:12:00:00 +0000',
      requestTimeEpoch: 1_795_176_000_000,
      resourcePath: '/v1/pets',
      stage: 'v1-staging',
    },
    body: httpMethod === 'POST' ? newPetText : null,
    isBase64Encoded: false,
  };
}

function inLists(map: Record<string, string>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, [value]]));
}

/** Asserts that a response has the whole pet, or the whole page, with every digit. */
export function checkResponse(
  { httpMethod, queryStringParameters }: RequestEvent,
  { statusCode, body }: FunctionResponse,
): void {
  if (httpMethod === 'POST') {
    assert.equal(statusCode, 201, body);
    assert.equal(withoutId(body), newPetText);
  } else {
    assert.equal(statusCode, 200, body);
    assert.equal(body, pageOf(queryStringParameters ?? {}));
  }
}
