import assert from 'node:assert/strict';
import { gatewayEvent } from '../helpers/gatewayEvent.ts';
import { withoutId } from '../helpers/samplePets.ts';
import { newPetText, pageOf } from './database.ts';
import type { FunctionResponse } from './startFunction.ts';

export const measuredOperations = ['createPet', 'listPets'] as const;
export type MeasuredOperation = (typeof measuredOperations)[number];

export type RequestEvent = ReturnType<typeof requestEvent>;

export function requestEvent(
  operation: MeasuredOperation,
  apiKey: string,
  query: Record<string, string> = {},
) {
  const isCreation = operation === 'createPet';
  const headers: Record<string, string> = {
    Accept: '*/*',
    'Accept-Encoding': 'gzip, br',
    Authorization: `Bearer ${apiKey}`,
    ...(isCreation && { 'Content-Type': 'application/json' }),
    Host: 'abc123.execute-api.eu-west-1.amazonaws.com',
    'User-Agent': 'bench/1.0',
    'X-Amzn-Trace-Id': 'Root=1-5759e988-bd862e3fe1be46a994272793',
    'X-Forwarded-For': '192.0.2.1',
    'X-Forwarded-Port': '443',
    'X-Forwarded-Proto': 'https',
  };
  return gatewayEvent(operation, { headers, query, ...(isCreation && { body: newPetText }) });
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
