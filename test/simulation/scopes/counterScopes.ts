import type { Scope } from '../Scope.ts';
import type { World } from '../World.ts';
import { counterItem, counterSetBack, creation, keyed, pets } from './scopeParts.ts';

/** The faults of the counter. */
const counters: Record<string, Partial<Scope> & Pick<Scope, 'title'>> = {
  back: {
    title: 'the counter is set back',
    setUp: pets(1),
    events: [counterSetBack],
  },
  deleted: {
    title: 'the counter is deleted',
    setUp: pets(1),
    events: [
      {
        label: 'the counter is deleted',
        apply: ({ database }) => database.set('pets', 'COUNTER', undefined),
      },
    ],
  },
  damaged: {
    title: 'the counter becomes a text, until an operator repairs it',
    setUp: pets(1),
    events: [
      {
        label: 'the counter is damaged',
        apply: (world) => world.set('pets', { pk: { S: 'COUNTER' }, lastId: { S: 'seven' } }),
      },
    ],
    mayAlsoGet: [500],
  },
  exhausted: {
    title: 'the counter has one id left',
    setUp: (world) => world.set('pets', counterItem(String(2n ** 63n - 2n))),
    mayAlsoGet: [500],
    isBeyondRepair: true,
    check: idsBeyondInt64,
  },
};

/** The requests that create pets in the meantime. */
const requests: Record<string, Pick<Scope, 'title' | 'clients' | 'faults'>> = {
  'one-key': {
    title: 'one key, two requests, one crash',
    clients: [keyed('request 1', ['A', 'C']), keyed('request 2', ['B', 'D'])],
    faults: { kinds: ['crash'], max: 1, instances: ['A'] },
  },
  'one-key-twice': {
    title: 'one key, a request that dies twice or writes late, and two retries',
    clients: [keyed('request 1', ['A', 'B', 'C'], { attempts: 3 })],
    faults: { kinds: ['crash', 'crash, effect late'], max: 2 },
  },
  'two-keys': {
    title: 'two keys, two crashes',
    clients: [
      keyed('request 1', ['A', 'C']),
      creation('request 2', { idempotencyKey: 'order-2', pet: 'Max', on: ['B', 'D'] }),
    ],
    faults: { kinds: ['crash'], max: 2 },
  },
  'no-key': {
    title: 'two requests without a key, one lost or late call',
    clients: [
      creation('request 1', { on: ['A'] }),
      creation('request 2', { on: ['B'], pet: 'Max' }),
    ],
    faults: { kinds: ['response lost', 'effect late'], max: 1 },
  },
};

/** Every broken counter with all requests: `counter-back-one-key` and so on. */
export const counterScopes: Record<string, Scope> = Object.fromEntries(
  Object.entries(counters).flatMap(([counterName, counter]) =>
    Object.entries(requests).map(([requestsName, senders]) => [
      `counter-${counterName}-${requestsName}`,
      { ...counter, ...senders, title: `${counter.title}: ${senders.title}` },
    ]),
  ),
);

function idsBeyondInt64({ database }: World): string[] {
  return [...database.table('pets').items.values()].flatMap(({ id, lastId }) => {
    const number = (id ?? lastId)?.N;
    return BigInt(number ?? 0) < 2n ** 63n ? [] : [`the id ${number} is beyond int64`];
  });
}
