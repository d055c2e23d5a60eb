import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { samplePet } from '../../../infra/local/samplePet.ts';
import { toPetItem } from '../../../lib/pets/petItem.ts';
import { call, loadHandler } from '../../helpers/api.ts';
import { emptyStore, interceptDatabase, storedPets } from '../../helpers/database.ts';
import { withSection } from '../report.ts';
import { scalingReport } from '../scaling.ts';
import { createCeilings, deploymentFor, listCeilings, listQueries, petBytes } from './ceilings.ts';

const noLimit = {
  shards: 100,
  idsPerLease: 100,
  memoryMb: 1_024,
  tracedShare: 0.01,
  throttle: { requestsPerSecond: 1e9, burstRequests: 1e9 },
  tableCeiling: { readUnits: 1e9, writeUnits: 1e9 },
};
const quotas = { tableUnits: 1e9, gatewayRequests: 1e9, lambdaConcurrency: 1e9 };

describe('docs/scaling.md', () => {
  it('contains what the model calculates; if not, run npm run bench:scaling -- --write', () => {
    const document = readFileSync('docs/scaling.md', 'utf8');

    expect(document).toBe(withSection(document, 'model', scalingReport()));
  });
});

describe('createCeilings', () => {
  it.each([
    ['counter', 7_000, { idsPerLease: 7 }],
    ['shards', 7_000, { shards: 7 }],
    ['throttle', 150, { throttle: { requestsPerSecond: 500, burstRequests: 1_000 } }],
    [
      'units of the table',
      1_000,
      { idsPerLease: 2, tableCeiling: { readUnits: 1e9, writeUnits: 1_500 } },
    ],
  ])('puts the %s first, at %i', (name, requestsPerSecond, settings) => {
    const [lowest] = createCeilings({ settings: { ...noLimit, ...settings }, quotas });

    expect(lowest).toEqual({ name, requestsPerSecond });
  });
});

describe('listCeilings', () => {
  it('counts each queried shard against the units of the index', () => {
    const tableCeiling = { readUnits: 5_000, writeUnits: 5_000 };
    const settings = { ...noLimit, tableCeiling, shards: 50 };

    const [lowest] = listCeilings({ status: 'available', limit: 20 }, { settings, quotas });

    expect(lowest).toEqual({ name: 'units of the index', requestsPerSecond: 200 });
  });

  it.each([1, 10])('allows no more first pages with %i shards', (shards) => {
    const settings = { ...noLimit, shards };

    const [lowest] = listCeilings({ status: 'available', limit: 20 }, { settings, quotas });

    expect(lowest).toEqual({ name: 'first partition', requestsPerSecond: 6_000 });
  });
});

describe('deploymentFor', () => {
  it.each([100, 1_000, 10_000, 100_000])('allows %i creates a second', (createsPerSecond) => {
    const current = {
      ...noLimit,
      shards: 1,
      idsPerLease: 10,
      throttle: { requestsPerSecond: 500, burstRequests: 1_000 },
      tableCeiling: { readUnits: 6_000, writeUnits: 2_000 },
    };

    const [lowest] = createCeilings(deploymentFor(createsPerSecond, current));

    expect(lowest?.requestsPerSecond).toBeGreaterThan(createsPerSecond);
  });
});

describe('the functions behave as the model assumes', () => {
  const environment = { SHARDS: '3', WRITE_SHARDS: '3' };

  beforeEach(emptyStore);

  // test/lib/pets/petIds.test.ts counts the updates of the counter.
  it('createPet spreads pets evenly over the shards', async () => {
    const createPet = await loadHandler('createPet', environment);

    for (let n = 1; n <= 8; n += 1) await call(createPet, { body: { name: 'Rex', categoryId: 1 } });

    const shards = (await storedPets()).map(({ statusShard }) => String(statusShard)).sort();
    expect(shards).toEqual([0, 0, 1, 1, 1, 2, 2, 2].map((shard) => `available#${shard}`));
  });

  it.each([{}, { status: 'available' as const }])(
    'listPets sends one query a shard: %j',
    async (query) => {
      const listPets = await loadHandler('listPets', environment);
      await call(listPets); // remembers the API key
      const { dynamoDbClient } = await import('../../../lib/dynamodb/client.ts');
      const actions = interceptDatabase(({ pass }) => pass(), dynamoDbClient);

      await call(listPets, { query });

      const queries = listQueries({ ...query, limit: 20 }, { shards: 3 });
      expect(actions).toEqual(Array(queries).fill('Query'));
    },
  );

  it('a made-up pet has the assumed size', () => {
    const sizes = Array.from({ length: 1_000 }, (_, n) =>
      itemBytes(toPetItem(samplePet(BigInt(100_000 + n)), crypto.randomUUID())),
    );

    const mean = sizes.reduce((sum, bytes) => sum + bytes) / sizes.length;

    expect(mean / petBytes).toBeCloseTo(1, 1);
  });
});

/** As DynamoDB counts: names and texts in UTF-8, a number a byte for two digits and one more. */
function itemBytes(item: ReturnType<typeof toPetItem>): number {
  const bytes = Object.entries(item).map(
    ([name, value]) =>
      Buffer.byteLength(name) +
      (value.N ? Math.ceil(value.N.length / 2) + 1 : Buffer.byteLength(value.S ?? '')),
  );
  return bytes.reduce((sum, each) => sum + each);
}
