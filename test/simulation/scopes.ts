import { hash } from 'node:crypto';
import type { Item } from './DynamoDbModel.ts';
import { apiKeyIdOf, apiKeyRecord } from './requests.ts';
import type { Client, FaultKind, Received, Request, Scope } from './Scope.ts';
import type { World } from './World.ts';

type Creation = Partial<Pick<Request, 'apiKey' | 'idempotencyKey'>> & {
  pet?: string;
  on?: string[];
  /** How often the client sends the request if it gets a 5xx. */
  attempts?: number;
  when?: (world: World) => boolean;
};

const key = 'order-1';

/** A client that adds a pet, and sends the request again after a 5xx if it has a key. */
function creation(name: string, settings: Creation = {}): Client {
  const { pet = 'Rex', on = ['A'], attempts = 2, when, ...keys } = settings;
  const request: Request = {
    operation: 'createPet',
    body: { name: pet, categoryId: 7 },
    ...keys,
  };
  const maxRequests = keys.idempotencyKey === undefined ? 1 : attempts;
  const next = (received: Received[]) => {
    const last = received.at(-1);
    const isOver = last && (last.status < 500 || received.length >= maxRequests);
    return isOver ? undefined : request;
  };
  return { name, on, next, ...(when && { when }) };
}

/** A client that follows the links of a list, and asks for a page again after a 5xx. */
function walk(name: string, query: Record<string, string>, more: Partial<Client> = {}): Client {
  const next = (received: Received[]): Request | undefined => {
    const pages = received.filter(({ status }) => status === 200);
    const hasFailed = received.length > pages.length && received.at(-1)?.status !== 200;
    const cursor = /cursor=([^&>]+)/.exec(pages.at(-1)?.link ?? '')?.[1];
    const isRefused = hasFailed && (received.at(-1)?.status ?? 0) < 500;
    if (isRefused || (pages.length > 0 && !cursor && !hasFailed)) return undefined;
    return { operation: 'listPets', query: { ...query, ...(cursor && { cursor }) } };
  };
  return { name, on: ['L'], next, ...more };
}

function petItem(id: number, shard = 0, token = 'other'): Item {
  return {
    pk: { S: `PET#${id}` },
    statusShard: { S: `available#${shard}` },
    token: { S: token },
    id: { N: String(id) },
    name: { S: `Pet ${id}` },
    categoryId: { N: '1' },
    status: { S: 'available' },
  };
}

function counterItem(lastId: string): Item {
  return { pk: { S: 'COUNTER' }, lastId: { N: lastId } };
}

/** Pets with the ids up to the last one, and the counter at it. */
function pets(lastId: number, { firstId = 1, shards = 1 } = {}) {
  return (world: World) => {
    for (let id = firstId; id <= lastId; id += 1) world.set('pets', petItem(id, id % shards));
    world.set('pets', counterItem(String(lastId)));
  };
}

const counterSetBack = {
  label: 'the counter is set back to 0',
  apply: (world: World) => world.set('pets', counterItem('0')),
};

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

const isAcknowledged = (name: string) => (world: World) =>
  world.received.get(name)?.at(-1)?.status === 201;

const after = (label: string) => (world: World) => world.hasHappened(label);

/** Lets time pass, once and at any moment. */
const passes = (label: string, ms: number, when?: (world: World) => boolean) => ({
  label,
  ...(when && { when }),
  apply: (world: World) => {
    world.nowMs += ms;
  },
});

const crashes: FaultKind[] = ['crash', 'crash, effect late'];
const lostCalls: FaultKind[] = ['response lost', 'effect late'];
const errors: FaultKind[] = ['throttled', '500 before', '500 after'];

/** A record with one second left, of a request that died before it stored a pet under the id 1. */
function dyingRecord(world: World): void {
  world.set('idempotency', {
    scopedKey: { S: `${apiKeyIdOf('1')}#${key}` },
    petId: { N: '1' },
    token: { S: 'died' },
    fingerprint: { S: hash('sha256', '["Rex",7,"available"]', 'hex') },
    expiresAtEpochSeconds: { N: String(world.nowSeconds + 1) },
  });
}

function revokeKey(world: World): void {
  world.set('keys', apiKeyRecord('1', { revokedAtEpochSeconds: { N: String(world.nowSeconds) } }));
}

/** Requests that are sent after the end of the cache get 401. */
function checkRevocation(world: World): string[] {
  const late = (world.received.get('late request') ?? []).filter(({ status }) => status !== 401);
  return late.map(({ status }) => `a request 60 s after the revocation gets ${status}`);
}

const keyed = (name: string, on: string[], more: Creation = {}) =>
  creation(name, { idempotencyKey: key, on, ...more });

const newestPage = { limit: '2', status: 'available' };

/** Every scope that is explored, by its name. */
export const scopes: Record<string, Scope> = {
  'two-instances': {
    title: 'one key, two requests on two instances, a crash between any two writes',
    clients: [keyed('request 1', ['A', 'C']), keyed('request 2', ['B', 'D'])],
    faults: { kinds: crashes, max: 1 },
  },
  'one-instance': {
    title: 'one key, two requests on one instance, a crash or a lost response',
    clients: [keyed('request 1', ['A']), keyed('request 2', ['A'])],
    faults: { kinds: ['crash', 'response lost'], max: 1 },
  },
  'three-requests': {
    title: 'one key, three requests on three instances, one crash',
    clients: [
      keyed('request 1', ['A', 'D']),
      keyed('request 2', ['B', 'E']),
      keyed('request 3', ['C', 'F']),
    ],
    faults: { kinds: ['crash'], max: 1, instances: ['A'] },
  },
  'lost-calls': {
    title: 'one key, two requests, a call that is late or whose response is lost',
    clients: [keyed('request 1', ['A']), keyed('request 2', ['B'])],
    faults: { kinds: lostCalls, max: 1 },
  },
  'failed-calls': {
    title:
      'one key, one request, four calls throttled or failed after their effect, and two retries',
    clients: [keyed('request 1', ['A', 'C'], { attempts: 3 })],
    faults: { kinds: ['throttled', '500 after'], max: 4 },
  },
  'out-of-time': {
    title: 'one key, a request that ends early with 503 while its calls go on, and its retry',
    clients: [keyed('request 1', ['A', 'B'])],
    faults: { kinds: ['out of time'], max: 1 },
  },
  'other-body': {
    title: 'one key with two bodies, three requests, one crash',
    clients: [
      keyed('request 1', ['A', 'C']),
      keyed('request 2', ['B', 'D'], { pet: 'Max' }),
      keyed('request 3', ['E', 'F']),
    ],
    faults: { kinds: ['crash'], max: 1, instances: ['A', 'B'] },
  },
  'two-api-keys': {
    title: 'the same Idempotency-Key of two API keys, one crash or late call',
    clients: [
      keyed('request 1', ['A', 'C']),
      keyed('request 2', ['B', 'D'], { apiKey: '2', pet: 'Max' }),
    ],
    faults: { kinds: ['crash', 'effect late'], max: 1 },
  },
  'no-key': {
    title: 'two requests without a key, two lost or late calls',
    clients: [creation('request 1'), creation('request 2', { pet: 'Max', on: ['B'] })],
    instances: { A: { idsPerLease: 2 } },
    faults: { kinds: lostCalls, max: 2 },
  },
  leases: {
    title: 'four requests without a key, two instances with leases of two ids',
    clients: [
      creation('request 1', { pet: 'Ada', on: ['A'] }),
      creation('request 2', { pet: 'Bob', on: ['A'] }),
      creation('request 3', { pet: 'Cat', on: ['A'] }),
      creation('request 4', { pet: 'Dan', on: ['B'] }),
    ],
    instances: { A: { idsPerLease: 2 }, B: { idsPerLease: 2 } },
  },
  'counter-back-one-key': {
    title: 'the counter is set back, one key, two requests, one crash',
    setUp: pets(1),
    events: [counterSetBack],
    clients: [keyed('request 1', ['A', 'C']), keyed('request 2', ['B', 'D'])],
    faults: { kinds: ['crash'], max: 1, instances: ['A'] },
  },
  'counter-back-two-keys': {
    title: 'the counter is set back, two keys, two faults',
    setUp: pets(1),
    events: [counterSetBack],
    clients: [
      keyed('request 1', ['A', 'C']),
      creation('request 2', { idempotencyKey: 'order-2', pet: 'Max', on: ['B', 'D'] }),
    ],
    faults: { kinds: ['crash'], max: 2 },
  },
  'counter-back-no-key': {
    title: 'the counter is set back, two requests without a key, one lost or late call',
    setUp: pets(1),
    events: [counterSetBack],
    clients: [
      creation('request 1', { on: ['A'] }),
      creation('request 2', { on: ['B'], pet: 'Max' }),
    ],
    faults: { kinds: lostCalls, max: 1 },
  },
  'counter-deleted': {
    title: 'the counter is deleted, one request with a key and one without, one fault',
    setUp: pets(2),
    events: [
      {
        label: 'the counter is deleted',
        apply: ({ database }) => database.set('pets', 'COUNTER', undefined),
      },
    ],
    clients: [keyed('request 1', ['A', 'C']), creation('request 2', { on: ['B'], pet: 'Max' })],
    faults: { kinds: ['crash', 'response lost'], max: 1 },
  },
  'counter-damaged': {
    title: 'the counter becomes a text, until an operator repairs it',
    setUp: pets(1),
    events: [
      {
        label: 'the counter is damaged',
        apply: (world) => world.set('pets', { pk: { S: 'COUNTER' }, lastId: { S: 'seven' } }),
      },
    ],
    clients: [keyed('request 1', ['A', 'C']), creation('request 2', { on: ['B'], pet: 'Max' })],
    faults: { kinds: ['crash', 'response lost'], max: 1 },
    mayAlsoGet: [500],
  },
  'counter-exhausted': {
    title: 'the counter has one id left',
    setUp: (world) => world.set('pets', counterItem(String(2n ** 63n - 2n))),
    clients: [keyed('request 1', ['A', 'C']), creation('request 2', { on: ['B'], pet: 'Max' })],
    faults: { kinds: ['crash', 'response lost'], max: 1 },
    mayAlsoGet: [500],
    isBeyondRepair: true,
    check: ({ database }) =>
      [...database.table('pets').items.values()].flatMap(({ id, lastId }) => {
        const number = (id ?? lastId)?.N;
        return BigInt(number ?? 0) < 2n ** 63n ? [] : [`the id ${number} is beyond int64`];
      }),
  },
  'read-after-create': {
    title: 'a pet is read on another instance as soon as it is acknowledged',
    clients: [
      creation('request 1'),
      {
        name: 'reader',
        on: ['B'],
        when: (world) => world.received.has('request 1'),
        next: (received) =>
          received.length === 0 ? { operation: 'getPet', petId: '1' } : undefined,
      },
    ],
  },
  'paging-one-shard': {
    title: 'pages of two with an index that lags, while two pets are created',
    setUp: pets(3),
    hasIndexLag: true,
    canPagesBeCut: true,
    clients: [
      walk('walk', newestPage),
      creation('request 1', { on: ['A'] }),
      creation('request 2', { on: ['B'], pet: 'Max' }),
    ],
  },
  'paging-three-shards': {
    title: 'pages of two from three shards that lag, while a pet is created',
    setUp: pets(4, { shards: 3 }),
    hasIndexLag: true,
    canPagesBeCut: true,
    instances: {
      A: { shards: 3, writeShards: 3 },
      L: { shards: 3, writeShards: 3 },
    },
    clients: [walk('walk', newestPage), creation('request 1', { on: ['A'] })],
  },
  'paging-cut': {
    title: 'pages of four from three shards, each cut anywhere, over ids of one and two digits',
    setUp: pets(12, { firstId: 7, shards: 3 }),
    canPagesBeCut: true,
    instances: { L: { shards: 3 } },
    clients: [walk('walk', { ...newestPage, limit: '4' })],
  },
  'paging-damaged-item': {
    title: 'pages with a damaged item, which is left out and replaced',
    setUp: (world) => {
      pets(4)(world);
      const { name: _, ...damaged } = petItem(9);
      world.set('pets', { ...damaged, pk: { S: 'PET#9' }, id: { N: '2' } });
    },
    canPagesBeCut: true,
    clients: [walk('walk', newestPage)],
  },
  'raising-shards': {
    title: 'lists, then writes, go from one shard to two between the pages of two walks',
    setUp: pets(4),
    instances: {
      // The early pet gets the id 5 and the late one 7: odd ones go to the second shard.
      'half-new A': { shards: 2, idsPerLease: 2 },
      'new L': { shards: 2 },
      'other new L': { shards: 2 },
      'new A': { shards: 2, writeShards: 2 },
    },
    events: [{ label: 'all lists read two shards', apply: () => {} }],
    clients: [
      creation('early request', { on: ['half-new A'] }),
      walk('walk', newestPage, {
        on: ['L', 'new L'],
        when: (world) =>
          world.received.has('early request') && !world.hasHappened('all lists read two shards'),
      }),
      walk(
        'old walk',
        { ...newestPage, limit: '9' },
        {
          on: ['old L'],
          when: (world) =>
            world.received.has('early request') && !world.hasHappened('all lists read two shards'),
        },
      ),
      creation('late request', {
        on: ['new A'],
        pet: 'Max',
        when: after('all lists read two shards'),
      }),
      walk('late walk', newestPage, {
        on: ['other new L'],
        when: (world) => world.received.has('late request'),
      }),
    ],
  },
  revocation: {
    title: 'a key is revoked while requests use it, and 60 seconds pass',
    areKeyReadsChoices: true,
    events: [
      { label: 'the key is revoked', apply: revokeKey },
      passes('60 seconds pass', minuteMs, after('the key is revoked')),
    ],
    clients: [
      creation('request 1'),
      creation('request 2', { pet: 'Max', on: ['A'], when: after('the key is revoked') }),
      creation('late request', { pet: 'Zoe', on: ['A'], when: after('60 seconds pass') }),
    ],
    faults: { kinds: ['response late'], max: 1 },
    mayAlsoGet: [401],
    check: checkRevocation,
  },
  'end-of-24-hours': {
    title:
      'a retry at the end of 24 hours that is looked up 39 s later, 4 minutes of clock difference',
    instances: { B: { clockOffsetMs: 4 * minuteMs } },
    events: [
      passes('24 hours pass', dayMs, isAcknowledged('request 1')),
      passes('39 seconds pass', 39_000, after('24 hours pass')),
      passes('10 minutes pass', 10 * minuteMs, isAcknowledged('retry')),
    ],
    clients: [
      keyed('request 1', ['A']),
      keyed('retry', ['B'], { when: after('24 hours pass') }),
      keyed('other request', ['C'], { pet: 'Max', when: after('10 minutes pass') }),
    ],
    faults: { kinds: ['response late'], max: 1 },
  },
  'after-24-hours': {
    title: 'a key is used for another body five minutes after the 24 hours',
    events: [
      passes('24 hours and 5 minutes pass', dayMs + 5 * minuteMs, isAcknowledged('request 1')),
    ],
    clients: [
      keyed('request 1', ['A']),
      keyed('request 2', ['A', 'C'], { pet: 'Max', when: after('24 hours and 5 minutes pass') }),
    ],
    faults: { kinds: ['crash'], max: 1 },
  },
  'end-of-24-hours-taken-id': {
    title: 'a record whose request died and whose id is taken expires while two retries use it',
    setUp: (world) => {
      pets(1)(world);
      dyingRecord(world);
    },
    events: [passes('2 seconds pass', 2_000)],
    clients: [keyed('request 1', ['A', 'C']), keyed('request 2', ['B', 'D'])],
  },
  'everything-at-random': {
    title: 'five requests, three instances, a walk, a counter set back, all faults (random walks)',
    setUp: pets(3),
    hasIndexLag: true,
    instances: { A: { idsPerLease: 2 } },
    events: [counterSetBack],
    clients: [
      keyed('request 1', ['A', 'B', 'C'], { attempts: 4 }),
      keyed('request 2', ['B', 'C', 'A'], { attempts: 4 }),
      keyed('request 3', ['C', 'A', 'B'], { apiKey: '2', pet: 'Ada', attempts: 4 }),
      creation('request 4', { pet: 'Bob', on: ['A'] }),
      creation('request 5', { idempotencyKey: 'order-2', pet: 'Cat', on: ['A', 'C'], attempts: 4 }),
      walk('walk', newestPage),
    ],
    faults: {
      kinds: [...crashes, ...lostCalls, ...errors, 'response late', 'out of time'],
      max: 6,
    },
    randomWalks: 1_000,
  },
};
