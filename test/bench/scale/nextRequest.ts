import { config } from '../../../lib/config.ts';
import type { RawEvent } from '../../../lib/http/event.ts';
import type { OperationName } from '../../../lib/operations.ts';
import { encodeCursor } from '../../../lib/pets/cursor.ts';
import type { PetStatus } from '../../../lib/schemas.ts';
import { rareStatus } from './benchPet.ts';
import type { MeasuredRequest } from './measuredRequests.ts';

type Sent = { operation: OperationName; event: RawEvent };

let sentRequests = 0;

/** Makes the next request of a kind for a store of so many pets; no two ask for the same pet. */
export function nextRequest(kind: MeasuredRequest, petCount: number, apiKey: string): Sent {
  sentRequests += 1;
  // By the golden ratio, the places are spread evenly and never come again.
  const place = (sentRequests * 0.618033988749895) % 1;
  const deepPlace = 0.5 + 0.3 * place;
  const list = (query: Record<string, string>) => event(apiKey, { query });
  switch (kind) {
    case 'createPet':
      return { operation: 'createPet', event: event(apiKey, { body: newPet }) };
    case 'createPet with an Idempotency-Key':
      return {
        operation: 'createPet',
        event: event(apiKey, { body: newPet, idempotencyKey: crypto.randomUUID() }),
      };
    case 'getPet':
      return {
        operation: 'getPet',
        event: event(apiKey, { petId: String(1 + Math.floor(place * petCount)) }),
      };
    case 'listPets, the first page':
      return { operation: 'listPets', event: list({}) };
    case 'listPets, the first page of 100':
      return { operation: 'listPets', event: list({ limit: '100' }) };
    case 'listPets, deep in the pages':
      return {
        operation: 'listPets',
        event: list({ cursor: cursorAt(deepPlace * petCount) }),
      };
    case 'listPets of one status, deep':
      return {
        operation: 'listPets',
        event: list({ status: 'sold', cursor: cursorAt(deepPlace * petCount, 'sold') }),
      };
    case 'listPets of a rare status':
      return {
        operation: 'listPets',
        event: list({ status: rareStatus, cursor: cursorAt(petCount / 4, rareStatus) }),
      };
  }
}

const newPet = '{"name":"Zoë von Fluff","categoryId":7}';

/** A place in a list, as the `Link` of the page before would have it. */
function cursorAt(id: number, status?: PetStatus): string {
  return encodeCursor(BigInt(Math.floor(id)), { stage: config.stage, status });
}

type Parts = {
  query?: Record<string, string>;
  petId?: string;
  body?: string;
  idempotencyKey?: string;
};

function event(apiKey: string, { query, petId, body, idempotencyKey }: Parts): RawEvent {
  const path = petId === undefined ? '/v1/pets' : `/v1/pets/${petId}`;
  return {
    path,
    httpMethod: body === undefined ? 'GET' : 'POST',
    headers: {
      Authorization: `Bearer ${apiKey}`,
      ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
    },
    queryStringParameters: query ?? null,
    pathParameters: petId === undefined ? null : { petId },
    requestContext: { domainName: 'localhost', path },
    body: body ?? null,
  };
}
