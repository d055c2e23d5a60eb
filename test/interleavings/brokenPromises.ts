import { idIn, textOfItem } from '../helpers/samplePets.ts';
import type { Exchange, Request, World } from './World.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** How long a record outlives the 24 hours. */
const allowanceMs = 5 * 60 * 1000;

/** How often the SDK sends a call. */
const maxAttempts = 3;

/**
 * Repairs the counter, retries each creation with an Idempotency-Key without faults, and returns each
 * broken promise of docs/consistency.md as a sentence.
 */
export async function brokenPromises(world: World): Promise<string[]> {
  world.isFaultFree = true;
  const counter = world.database.items('pets').find(({ pk }) => pk?.S === 'COUNTER')?.lastId;
  const isExhausted = (counter?.N?.length ?? 0) >= 19;
  if (counter?.S !== undefined) repairCounter(world);
  for (const request of isExhausted ? [] : unresolvedCreations(world)) {
    const { status } = await world.send(request, 'the repaired service');
    if (status >= 500) return [`${creationOf({ request })} gets ${status} without faults`];
  }
  return [
    ...unexpectedStatuses(world, isExhausted || counter?.S !== undefined),
    ...changedPets(world),
    ...idsBeyondInt64(world),
    ...acknowledgedPets(world),
    ...onePetPerCreation(world),
    ...unreadPets(world),
    ...incompleteWalks(world),
  ];
}

/** Requests with an Idempotency-Key that got nothing but 5xx. */
function unresolvedCreations({ exchanges }: World): Request[] {
  const keyed = exchanges.filter(({ request }) => request.idempotencyKey !== undefined);
  const textOfRequest = ({ request }: Exchange) => JSON.stringify(request);
  return [...Map.groupBy(keyed, textOfRequest).values()].flatMap((all) =>
    all.every(({ status }) => status >= 500) ? (all[0]?.request ?? []) : [],
  );
}

/** As the runbook says: to the highest id in use. */
function repairCounter(world: World): void {
  const ids = world.pets().map(({ id }) => BigInt(id?.N ?? 0));
  const highest = ids.reduce((a, b) => (a > b ? a : b), 0n);
  world.database.put('pets', { pk: { S: 'COUNTER' }, lastId: { N: String(highest) } });
}

/** Requests with one API key and Idempotency-Key are one creation. So is a request without a key. */
function creationOf({ request }: Pick<Exchange, 'request'>): string {
  const { apiKey = '1', idempotencyKey, pet = '' } = request;
  return idempotencyKey === undefined ? pet : `${apiKey}#${idempotencyKey}`;
}

function creationsIn({ exchanges }: World): Map<string, Exchange[]> {
  return Map.groupBy(
    exchanges.filter(({ request }) => request.operation === 'createPet'),
    creationOf,
  );
}

/** 503 needs more failed calls than the SDK retries, 500 a counter without an id, 422 another body. */
function unexpectedStatuses(world: World, isCounterUnusable: boolean): string[] {
  const isExpected = (exchange: Exchange) => {
    const { request, status, sentAtMs } = exchange;
    switch (status) {
      case 401:
        return !isIssued(world, request.apiKey);
      case 422:
        return world.exchanges.some(
          (other) =>
            creationOf(other) === creationOf(exchange) &&
            other.request.pet !== request.pet &&
            Math.abs(other.sentAtMs - sentAtMs) < dayMs + allowanceMs,
        );
      case 500:
        return isCounterUnusable;
      case 503:
        return world.failedCalls >= maxAttempts;
      default:
        return [200, 201, 502, 504].includes(status);
    }
  };
  const unexpected = world.exchanges.filter((exchange) => !isExpected(exchange));
  return unexpected.map(
    ({ request, status, body }) => `${request.operation} gets ${status} ${body}`,
  );
}

function isIssued(world: World, name = '1'): boolean {
  const records = world.database.items('keys');
  return records.some((record) => record.name?.S === name && !record.revokedAtEpochSeconds);
}

function idsBeyondInt64({ database }: World): string[] {
  return database.items('pets').flatMap(({ id, lastId }) => {
    const number = (id ?? lastId)?.N ?? '0';
    return BigInt(number) < 2n ** 63n ? [] : [`the id ${number} is beyond int64`];
  });
}

function changedPets(world: World): string[] {
  const texts = new Set(world.pets().map(textOfItem));
  return world.initialPets
    .map(textOfItem)
    .flatMap((pet) => (texts.has(pet) ? [] : [`${pet} has changed`]));
}

/** An id that was given twice is stored as another pet. */
function acknowledgedPets(world: World): string[] {
  const texts = new Set(world.pets().map(textOfItem));
  const acknowledged = world.exchanges.filter(({ status }) => status === 201);
  return acknowledged.flatMap(({ body, request: { pet } }) => [
    ...(texts.has(body) ? [] : [`${body} was acknowledged and is not stored`]),
    ...(JSON.parse(body).name === pet ? [] : [`${pet} was sent and ${body} acknowledged`]),
  ]);
}

/** Requests that are sent within 24 hours of the first response make one pet, the one of each 201. */
function onePetPerCreation(world: World): string[] {
  return [...creationsIn(world)].flatMap(([creation, all]) => {
    const acknowledged = all.filter(({ status }) => status === 201);
    const endMs = Math.min(...acknowledged.map(({ receivedAtMs }) => receivedAtMs)) + dayMs;
    const isInTime = ({ sentAtMs }: Exchange) => sentAtMs <= endMs;
    const bodies = new Set(acknowledged.filter(isInTime).map(({ body }) => body));
    const names = new Set(all.map(({ request }) => request.pet));
    const stored = world.pets().filter(({ name }) => names.has(name?.S)).length;
    const acknowledgedName = [...bodies].map((body) => JSON.parse(body).name)[0];
    const refused = all.some(
      (one) => one.status === 422 && isInTime(one) && one.request.pet === acknowledgedName,
    );
    return [
      ...(bodies.size > 1 ? [`${creation} got ${[...bodies].join(' and ')}`] : []),
      ...(isOneDay(all) && stored > 1 ? [`${creation} made ${stored} pets`] : []),
      ...(refused ? [`${creation} gets 422, and its pet exists`] : []),
    ];
  });
}

/** A record may expire within a longer time, if its request got no response. */
function isOneDay(exchanges: Exchange[]): boolean {
  const times = exchanges.map(({ sentAtMs }) => sentAtMs);
  return Math.max(...times) - Math.min(...times) < dayMs;
}

/** Each pet is read as soon as it is acknowledged. */
function unreadPets({ exchanges }: World): string[] {
  const acknowledged = new Set(exchanges.flatMap((one) => (one.status === 201 ? one.body : [])));
  return exchanges.flatMap(({ request: { operation, petId }, status, body }) =>
    operation !== 'getPet' || ![200, 404].includes(status) || acknowledged.has(body)
      ? []
      : [`pet ${petId} reads as ${body}`],
  );
}

/** A walk lists each pet that was visible when it began once, as it is stored, by ascending id. */
function incompleteWalks(world: World): string[] {
  const stored = new Set(world.pets().map(textOfItem));
  return world.walks.flatMap((pages) => {
    const listed = pages.flatMap(({ body }) => body.match(/\{"id":.+?"status":"\w+"\}/g) ?? []);
    const ids = listed.map((text) => BigInt(idIn(text)));
    const missing = pages[0]?.visiblePets.filter((pet) => !listed.includes(pet)) ?? [];
    const isRight = ids.every((id, n) => n === 0 || id > (ids[n - 1] ?? 0n));
    return [
      ...missing.map((pet) => `a walk lists ${listed.join(', ')} without ${pet}`),
      ...(isRight ? [] : [`a walk lists ${listed.join(', ')}`]),
      ...listed.flatMap((pet) =>
        stored.has(pet) ? [] : [`a walk lists ${pet}, which is not stored`],
      ),
    ];
  });
}
