import { hash } from 'node:crypto';
import type { Scope } from '../Scope.ts';
import { apiKeyIdOf, apiKeyRecord } from '../simulatedRequests.ts';
import type { World } from '../World.ts';
import { after, creation, key, keyed, pets } from './scopeParts.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

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
  const late = world.receivedBy('late request').filter(({ status }) => status !== 401);
  return late.map(({ status }) => `a request 60 s after the revocation gets ${status}`);
}

/** Lets time pass, once and at any moment. */
const passes = (label: string, ms: number, when?: (world: World) => boolean) => ({
  label,
  ...(when && { when }),
  apply: (world: World) => {
    world.nowMs += ms;
  },
});

const isAcknowledged = (name: string) => (world: World) =>
  world.receivedBy(name).at(-1)?.status === 201;

/** API keys, and the end of the 24 hours. */
export const keyAndTimeScopes: Record<string, Scope> = {
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
  'unknown-key': {
    title: 'a request with an API key that was never issued, four failed reads of the key',
    areKeyReadsChoices: true,
    clients: [keyed('request 1', ['A', 'B'], { apiKey: '3' })],
    faults: { kinds: ['throttled', '500 before'], max: 4 },
    mayAlsoGet: [401],
    check: (world) => (world.pets().length > 0 ? ['a pet is stored without a valid key'] : []),
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
};
