import { hash } from 'node:crypto';
import { apiKeyDigest, apiKeyId } from '../../lib/apiKeys/apiKey.ts';
import type { RawEvent } from '../../lib/http/event.ts';
import type { Item } from './DynamoDbModel.ts';
import type { Request } from './Scope.ts';

export const stage = 'simulated';

/** A valid API key: each name has one. */
function apiKeyOf(name: string): string {
  const unchecked = `ps_${stage}_${name.padEnd(43, 'x')}`;
  return `${unchecked}${hash('sha256', unchecked, 'base64url').slice(0, 6)}`;
}

/** The stored record of an API key. */
export function apiKeyRecord(name: string, more: Item = {}): Item {
  return {
    digest: { S: apiKeyDigest(apiKeyOf(name)) },
    name: { S: name },
    createdAtEpochSeconds: { N: '1700000000' },
    ...more,
  };
}

/** The prefix of an Idempotency-Key in the table. */
export function apiKeyIdOf(name: string): string {
  return apiKeyId(apiKeyDigest(apiKeyOf(name)));
}

/** The event of API Gateway for a request. */
export function requestEvent(request: Request, requestId: string): RawEvent {
  const { operation, apiKey = '1', idempotencyKey, body, query = {}, petId } = request;
  return {
    httpMethod: operation === 'createPet' ? 'POST' : 'GET',
    path: petId === undefined ? '/v1/pets' : `/v1/pets/${petId}`,
    headers: {
      Authorization: `Bearer ${apiKeyOf(apiKey)}`,
      ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
    },
    queryStringParameters: query,
    pathParameters: petId === undefined ? null : { petId },
    requestContext: { requestId, domainName: 'simulated', path: '/v1/pets' },
    body: body === undefined ? null : JSON.stringify(body),
  };
}
