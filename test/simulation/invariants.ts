import { idIn, textOf } from '../helpers/petText.ts';
import type { Client, Received, Request } from './Scope.ts';
import type { World } from './World.ts';

/** A request with one of its responses. */
type Sent = Received & { client: Client; request: Request };

const dayMs = 24 * 60 * 60 * 1000;

/** How long a record outlives the 24 hours. */
const allowanceMs = 5 * 60 * 1000;

/** How often the SDK sends a call. */
const maxAttempts = 3;

/**
 * Ends a run without further faults, and returns each broken promise as a sentence.
 *
 * First an operator repairs the counter, and each client that has no final response sends its request
 * once more. docs/consistency.md explains the promises.
 */
export async function brokenPromises(world: World): Promise<string[]> {
  const { scope } = world;
  const brokenHere = scope.check?.(world) ?? [];
  const unhealed: string[] = [];
  repairCounter(world);
  for (const client of scope.clients) {
    const last = world.receivedBy(client.name).at(-1);
    const { idempotencyKey } = requestOf(client);
    if (scope.isBeyondRepair || idempotencyKey === undefined || !last || last.status < 500)
      continue;
    const healed = await world.sendWithoutFaults(client);
    if (!healed || healed.status >= 500) {
      unhealed.push(`${client.name} still gets ${healed?.status} ${healed?.body} without faults`);
    }
  }
  const sent = scope.clients.flatMap((client) =>
    world
      .receivedBy(client.name)
      .map((response): Sent => ({ ...response, client, request: requestOf(client) })),
  );
  const acknowledged = sent.filter(({ status }) => status === 201);
  return [
    ...brokenHere,
    ...unhealed,
    ...unexpectedStatuses(world, sent),
    ...acknowledgedPets(world, acknowledged),
    ...onePetPerKey(world, sent, acknowledged),
    ...initialPets(world),
    ...scope.clients.flatMap((client) => completeWalk(world, client)),
  ];
}

function requestOf(client: Client): Request {
  return client.next([]) ?? { operation: 'listPets' };
}

/** As the runbook says: to the highest id in use. */
function repairCounter(world: World): void {
  const counter = world.database.table('pets').items.get('COUNTER');
  const isUsable = counter?.lastId?.N !== undefined && counter.lastId.N.length < 19;
  if (isUsable || !counter) return;
  const ids = world.pets().map(({ id }) => BigInt(id?.N ?? 0));
  const highest = ids.reduce((a, b) => (a > b ? a : b), 0n);
  world.set('pets', { pk: { S: 'COUNTER' }, lastId: { N: String(highest) } });
}

/** Requests with one API key and Idempotency-Key make one pet. So does a client without an Idempotency-Key. */
function creationOf({ client, request }: Sent): string {
  const { apiKey = '1', idempotencyKey } = request;
  return idempotencyKey === undefined ? client.name : `${apiKey}#${idempotencyKey}`;
}

/** 500 needs a broken counter, 503 more faults than the SDK retries, 422 another body. */
function unexpectedStatuses(world: World, sent: Sent[]): string[] {
  const { mayAlsoGet = [], faults } = world.scope;
  const canEndEarly = faults?.kinds.some(
    (kind) => kind.startsWith('crash') || kind === 'out of time',
  );
  const mayBeUnavailable = canEndEarly ? world.faultsUsed > 0 : world.faultsUsed >= maxAttempts;
  return sent.flatMap((one) => {
    const { status, body, client } = one;
    const isOtherBody = (other: Sent) =>
      creationOf(other) === creationOf(one) &&
      Math.abs(other.sentAtMs - one.sentAtMs) < dayMs + allowanceMs &&
      petText(other.request) !== petText(one.request);
    const isExpected =
      status === 200 ||
      status === 201 ||
      mayAlsoGet.includes(status) ||
      ((status === 502 || status === 503) && mayBeUnavailable) ||
      (status === 422 && sent.some(isOtherBody));
    return isExpected ? [] : [`${client.name} gets ${status} ${body}`];
  });
}

/** Creations differ in their pets, so an id that was given twice is stored as another pet. */
function acknowledgedPets(world: World, acknowledged: Sent[]): string[] {
  return acknowledged.flatMap(({ client, body, request }) => {
    const { id: _, ...pet } = JSON.parse(body);
    const stored = world.pet(idIn(body));
    if (!stored) return [`${client.name} got ${body}, and it is not stored`];
    if (textOf(stored) !== body)
      return [`${client.name} got ${body}, and ${textOf(stored)} is stored`];
    return JSON.stringify(pet) === petText(request) ? [] : [`${client.name} got the pet ${body}`];
  });
}

/** Equal requests that are sent within 24 hours of the first response make one pet. */
function onePetPerKey(world: World, sent: Sent[], acknowledged: Sent[]): string[] {
  const broken: string[] = [];
  for (const [creation, all] of Map.groupBy(sent, creationOf)) {
    const own = acknowledged.filter((one) => creationOf(one) === creation);
    const firstMs = Math.min(...own.map(({ receivedAtMs }) => receivedAtMs));
    const inTime = own.filter(({ sentAtMs }) => sentAtMs <= firstMs + dayMs);
    const bodies = new Set(inTime.map(({ body }) => body));
    if (bodies.size > 1) broken.push(`${creation} got two pets: ${[...bodies].join(' and ')}`);

    const isAllInTime = all.every(({ sentAtMs }) => sentAtMs <= firstMs + dayMs);
    const names = new Set(all.map(({ request }) => request.body?.name));
    const pets = world.pets().filter(({ name }) => names.has(name?.S));
    if (isAllInTime && pets.length > 1) broken.push(`${creation} made ${pets.length} pets`);

    const refused = all.filter(
      ({ status, sentAtMs }) => status === 422 && sentAtMs <= firstMs + dayMs,
    );
    for (const { client, request } of refused) {
      const isOwnPet = inTime.some((one) => petText(one.request) === petText(request));
      if (isOwnPet) broken.push(`${client.name} gets 422, and its pet exists`);
    }
  }
  return broken;
}

function initialPets(world: World): string[] {
  return world.initialPets.flatMap((pet) => {
    const stored = world.pet(pet.id?.N ?? '');
    return stored && textOf(stored) === textOf(pet) ? [] : [`the pet ${textOf(pet)} was changed`];
  });
}

/** A walk lists each pet that was visible when it began once, as it is stored, in ascending order. */
function completeWalk(world: World, client: Client): string[] {
  const { operation, query = {} } = requestOf(client);
  if (operation !== 'listPets') return [];
  const pages = world.receivedBy(client.name).filter(({ status }) => status === 200);
  const ids = pages.flatMap(({ body }) =>
    [...body.matchAll(/"id":(\d+)/g)].map(([, id = '']) => id),
  );
  const listed = `${client.name} listed ${ids.join(', ') || 'nothing'}`;
  const missing = (world.visibleAtStart.get(client.name) ?? []).filter(
    (id) => !ids.includes(id) && (!query.status || world.pet(id)?.status?.S === query.status),
  );
  const isAscending = ids.every(
    (id, place) => place === 0 || BigInt(ids[place - 1] ?? 0) < BigInt(id),
  );
  const isAsStored = ids.every((id) =>
    pages.some(({ body }) => body.includes(textOf(world.pet(id) ?? {}))),
  );
  const hasEnded = pages.at(-1)?.link === undefined;
  return [
    ...(missing.length > 0 ? [`${listed}, without ${missing.join(', ')}`] : []),
    ...(isAscending ? [] : [`${listed}, not in ascending order`]),
    ...(isAsStored ? [] : [`${listed}, with a pet that is not stored`]),
    ...(hasEnded ? [] : [`${listed} and has not ended`]),
  ];
}

function petText({ body }: Request): string | undefined {
  return body && JSON.stringify({ ...body, status: body.status ?? 'available' });
}
