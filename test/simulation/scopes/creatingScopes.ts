import type { Scope } from '../Scope.ts';
import { creation, hasResponse, keyed } from './scopeParts.ts';

/** Requests that race, fail and are sent again. */
export const creatingScopes: Record<string, Scope> = {
  'two-instances': {
    title: 'one key, two requests on two instances, a crash between any two writes',
    clients: [keyed('request 1', ['A', 'C']), keyed('request 2', ['B', 'D'])],
    faults: { kinds: ['crash', 'crash, effect late'], max: 1 },
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
    faults: { kinds: ['response lost', 'effect late'], max: 1 },
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
    faults: { kinds: ['response lost', 'effect late'], max: 2 },
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
  'read-after-create': {
    title: 'a pet is read on another instance as soon as it is acknowledged',
    clients: [
      creation('request 1'),
      {
        name: 'reader',
        on: ['B'],
        when: hasResponse('request 1'),
        next: (received) =>
          received.length === 0 ? { operation: 'getPet', petId: '1' } : undefined,
      },
    ],
  },
};
