import type { Scope } from '../Scope.ts';
import type { World } from '../World.ts';
import { after, creation, hasResponse, newestPage, petItem, pets, walk } from './scopeParts.ts';

const raised = 'all lists read two shards';

const beforeTheRaise = (world: World) =>
  hasResponse('early request')(world) && !after(raised)(world);

/** Walks through the pages of a list. */
export const pagingScopes: Record<string, Scope> = {
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
    events: [{ label: raised, apply: () => {} }],
    clients: [
      creation('early request', { on: ['half-new A'] }),
      walk('walk', newestPage, { on: ['L', 'new L'], when: beforeTheRaise }),
      walk('old walk', { ...newestPage, limit: '9' }, { on: ['old L'], when: beforeTheRaise }),
      creation('late request', { on: ['new A'], pet: 'Max', when: after(raised) }),
      walk('late walk', newestPage, { on: ['other new L'], when: hasResponse('late request') }),
    ],
  },
};
