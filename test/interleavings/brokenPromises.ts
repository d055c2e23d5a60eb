import { isDeepStrictEqual } from 'node:util';
import { marshall } from '@aws-sdk/util-dynamodb';
import { isCreation } from '../../infra/core/apiMethods.ts';
import { parseExactJson } from '../../lib/int64.ts';
import { operations } from '../../lib/operations.ts';
import { withoutId } from '../helpers/samplePets.ts';
import type { Item } from './DynamoDbModel.ts';
import { creationOf, dayMs, type Exchange, type Simulation } from './Simulation.ts';

/** How long a record outlives the 24 hours. */
const allowanceMs = 5 * 60 * 1000;

/** How often the SDK sends a call. */
const maxAttempts = 3;

/**
 * Retries each creation with an Idempotency-Key, without faults. Then returns each
 * broken promise of docs/guide as a sentence.
 */
export async function brokenPromises(simulation: Simulation): Promise<string[]> {
  simulation.isFaultFree = true;
  const faulty = [...simulation.exchanges];
  const keyed = faulty.filter(({ request }) => request.idempotencyKey !== undefined);
  const different = new Map(keyed.map(({ request }) => [JSON.stringify(request), request]));
  for (const request of different.values()) await simulation.send(request, 'the repaired service');
  const repaired = simulation.exchanges.filter((exchange) => !faulty.includes(exchange));
  return [
    ...repaired.filter(({ status }) => status >= 500).map((one) => `${nameOf(one)} without faults`),
    ...unexpectedStatuses(simulation),
    ...wrongItems(simulation),
    ...repeatedCreations(simulation),
    ...wrongReplays(simulation, faulty),
  ];
}

/** Returns whether an item has all members of a JSON text. */
function isOf(text: string) {
  const members = marshall(parseExactJson(text) as object);
  return (item: Item) => isDeepStrictEqual({ ...item, ...members }, item);
}

function nameOf({ request, status, body }: Exchange): string {
  return `${request.operation} gets ${status} ${body}`;
}

/**
 * 503 needs more faults than the SDK retries, 404 a deletion, and 422 another body within the time of the record.
 */
function unexpectedStatuses(simulation: Simulation): string[] {
  const { exchanges, injected } = simulation;
  // A deletion leaves key, id and token.
  const deleted = simulation.versions().filter((item) => Object.keys(item).length === 3);
  const deletedIds = new Set(deleted.map(({ id }) => id?.N));
  const isExpected = (exchange: Exchange) => {
    switch (exchange.status) {
      case 404:
        return Object.values(exchange.request.pathParameters ?? {}).some((id) =>
          deletedIds.has(id),
        );
      case 422:
        return exchanges.some(
          (other) =>
            creationOf(other) === creationOf(exchange) &&
            other.request.body !== exchange.request.body &&
            Math.abs(other.sentAtMs - exchange.sentAtMs) < dayMs + allowanceMs,
        );
      case 503:
        return injected.length >= maxAttempts || injected.includes('its function runs out of time');
      default:
        return exchange.status < 400 || exchange.status === 502;
    }
  };
  return exchanges.filter((exchange) => !isExpected(exchange)).map(nameOf);
}

/** No item is lost or replaced, and each response has a version of the item that was sent or asked for. */
function wrongItems(simulation: Simulation): string[] {
  const items = simulation.items();
  const versions = simulation.versions();
  const replaced = simulation.database.calls.flatMap(
    ({ action, input: { Item }, stored, reply }) =>
      action === 'PutItem' && reply.status === 200 && Item?.id && stored ? [stored] : [],
  );
  const isStored = ({ id, token }: Item) =>
    items.some((item) => item.id?.N === id?.N && item.token?.S === token?.S);
  const created = simulation.exchanges.filter(({ status }) => status === 201);
  const shown = simulation.exchanges.filter(({ body }) => body.startsWith('{"id":'));
  return [
    ...replaced.map((item) => `${JSON.stringify(item)} is replaced`),
    ...versions
      .filter((item) => !isStored(item))
      .map((item) => `${JSON.stringify(item)} is no longer stored`),
    ...shown
      .filter(({ body }) => !versions.some(isOf(body)))
      .map(({ body }) => `${body} was never stored`),
    ...created
      .filter(({ body, request }) => withoutId(body) !== request.body)
      .map(({ body, request }) => `${request.body} was sent and ${body} acknowledged`),
  ];
}

/** Requests that are sent within 24 hours of the first response make one item, the one of each 201. */
function repeatedCreations(simulation: Simulation): string[] {
  const versions = simulation.versions();
  const sent = simulation.exchanges.filter(({ request }) =>
    isCreation(operations[request.operation]),
  );
  return [...Map.groupBy(sent, creationOf)].flatMap(([creation, all]) => {
    const acknowledged = all.filter(({ status }) => status === 201);
    const endMs = Math.min(...acknowledged.map(({ receivedAtMs }) => receivedAtMs)) + dayMs;
    const inTime = all.filter(({ sentAtMs }) => sentAtMs <= endMs);
    const items = new Map(
      inTime
        .filter(({ status }) => status === 201)
        .map(({ body, request }) => [body, request.body]),
    );
    const texts = new Set(all.map(({ request }) => request.body ?? ''));
    const made = [...texts].flatMap((text) => versions.filter(isOf(text)));
    const stored = new Set(made.map(({ id }) => id?.N)).size;
    const refused = inTime.filter(
      ({ request, status }) => status === 422 && [...items.values()].includes(request.body),
    );
    // A record may expire within a longer time if its request got no response.
    const times = all.map(({ sentAtMs }) => sentAtMs);
    const isOneDay = Math.max(...times) - Math.min(...times) < dayMs;
    return [
      ...(items.size > 1 ? [`${creation} got ${[...items.keys()].join(' and ')}`] : []),
      ...(isOneDay && stored > 1 ? [`${creation} made ${stored} items`] : []),
      ...refused.map((one) => `${nameOf(one)}, and its item exists`),
    ];
  });
}

/**
 * Of all 201 of an item, at most one is no replay. The only request of a creation is none, however often
 * the SDK sent its calls.
 */
function wrongReplays({ exchanges }: Simulation, faulty: Exchange[]): string[] {
  const created = exchanges.filter(({ status }) => status === 201);
  const firsts = created.filter(({ isReplayed }) => !isReplayed);
  const repeated = [...Map.groupBy(firsts, ({ body }) => body).values()].filter(
    ({ length }) => length > 1,
  );
  const alone = [...Map.groupBy(faulty, creationOf).values()]
    .filter(({ length }) => length === 1)
    .flat();
  return [
    ...repeated.map(([first]) => `${first?.body} has two 201 that are no replay`),
    ...alone
      .filter(({ isReplayed }) => isReplayed)
      .map((one) => `${nameOf(one)} as a replay of nothing`),
  ];
}
