import { everyFault } from './outcomes.ts';
import type { Scope } from './Scope.ts';
import { counterScopes } from './scopes/counterScopes.ts';
import { creatingScopes } from './scopes/creatingScopes.ts';
import { keyAndTimeScopes } from './scopes/keyAndTimeScopes.ts';
import { pagingScopes } from './scopes/pagingScopes.ts';
import { counterSetBack, creation, keyed, newestPage, pets, walk } from './scopes/scopeParts.ts';

/** Every scope that is explored, by its name. */
export const scopes: Record<string, Scope> = {
  ...creatingScopes,
  ...counterScopes,
  ...pagingScopes,
  ...keyAndTimeScopes,
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
      kinds: everyFault,
      max: 6,
    },
    randomWalks: 1_000,
  },
};
