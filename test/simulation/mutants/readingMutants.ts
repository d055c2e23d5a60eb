import { inFile, type Mutant } from './Mutant.ts';

const paging = ['paging-cut', 'paging-damaged-item', 'paging-three-shards', 'paging-one-shard'];

export const readingMutants: Record<string, Mutant> = {
  ...inFile('lib/pets/petPages.ts', {
    'the cursor is one id too far': {
      find: 'encodeCursor(BigInt(lastPet.id), list)',
      replace: 'encodeCursor(BigInt(lastPet.id) + 1n, list)',
      scopes: paging,
    },
    'a page begins with the last pet of the page before': {
      find: 'id > :afterId',
      replace: 'id >= :afterId',
      scopes: paging,
    },
    'a cut page ends the list': {
      find: 'found.length > limit || shards.some(({ isCut }) => isCut)',
      replace: 'found.length > limit',
      scopes: paging,
    },
    'pets beyond the limit end the list': {
      find: 'found.length > limit || shards.some(({ isCut }) => isCut)',
      replace: 'shards.some(({ isCut }) => isCut)',
      scopes: paging,
    },
    'a cut page is not continued': {
      find: 'while (startKey && pets.length < limit)',
      replace: 'while (startKey === null)',
      scopes: paging,
    },
    'a cut page begins again': {
      find: 'ExclusiveStartKey: startKey',
      replace: 'ExclusiveStartKey: undefined',
      scopes: paging,
    },
    'shards are not sorted': { find: '.sort(byId)', replace: '', scopes: paging },
    'ids are sorted as texts': { find: 'a.length - b.length || ', replace: '', scopes: paging },
    'lists read the shards that are written': {
      find: 'length: config.shards',
      replace: 'length: config.writeShards',
      scopes: ['raising-shards'],
    },
  }),
  ...inFile('lib/pets/cursor.ts', {
    'the cursor is one id too near': {
      find: 'writeBigInt64BE(lastId, 1)',
      replace: 'writeBigInt64BE(lastId - 1n, 1)',
      scopes: paging,
    },
  }),
  ...inFile('lib/apiKeys/lookUpApiKey.ts', {
    'a key that cannot be read is valid': {
      find: 'record = await readRecord(digest);',
      replace: 'record = await readRecord(digest).catch(() => ({}) as ApiKeyRecord);',
      scopes: ['unknown-key'],
    },
    'a key is remembered for two minutes': {
      find: 'cachedForMs = 60_000',
      replace: 'cachedForMs = 120_000',
      scopes: ['revocation'],
    },
    'the cache of a key begins at the response': {
      find: 'untilMs: requestedAtMs',
      replace: 'untilMs: Date.now()',
      scopes: ['revocation'],
    },
    'a key is read weakly': {
      find: 'ConsistentRead: true',
      replace: 'ConsistentRead: false',
      scopes: ['revocation'],
    },
  }),
  ...inFile('lib/apiKeys/apiKey.ts', {
    'a revoked key is valid': {
      find: 'if (revokedAtEpochSeconds !== undefined) return false;',
      replace: '',
      scopes: ['revocation'],
    },
  }),
};
