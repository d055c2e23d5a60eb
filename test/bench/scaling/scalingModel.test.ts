import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { samplePet } from '../../../infra/local/samplePet.ts';
import { type Stage, stages } from '../../../infra/stages.ts';
import { petItem } from '../../../lib/pets/petStore.ts';
import { call, loadHandler } from '../../helpers/api.ts';
import { emptyStore, interceptDatabase, storedPets } from '../../helpers/database.ts';

import { withSection } from '../report.ts';
import { costReport, scalingReport } from '../scaling.ts';
import { createCeilings, deploymentFor, listCeilings, listQueries, petBytes } from './ceilings.ts';
import { monthlyCost } from './costs.ts';
import { worstDay } from './dailyWorstCase.ts';
import { priceOf, priceTerms } from './prices.ts';

const noLimit = {
  shards: 100,
  idsPerLease: 100,
  memoryMb: 1_024,
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

describe('docs/operations.md', () => {
  it('contains what the costs add up to; if not, run npm run bench:scaling -- --write', async () => {
    const document = readFileSync('docs/operations.md', 'utf8');

    expect(document).toBe(withSection(document, 'costs', await costReport()));
  });
});

describe('worstDay', () => {
  const production = stages[0] as Stage;
  const dollars = (stage: Stage, service: string) =>
    worstDay(stage)
      .filter((each) => each.service === service)
      .reduce((sum, { priced, quantity }) => sum + priceOf(priced, quantity), 0);

  it('bills every service that a request reaches, and what stands still', () => {
    expect([...new Set(worstDay(production).map(({ service }) => service))]).toEqual([
      'API Gateway',
      'Firewall',
      'Lambda',
      'DynamoDB',
      'Logs',
      'X-Ray',
      'Data out',
      'Alarms',
      'Dashboards',
      'Metrics',
    ]);
  });

  it('follows the settings of the stage', () => {
    const { throttle, tableCeiling } = production;
    const raised: Stage = {
      ...production,
      throttle: { ...throttle, requestsPerSecond: 1_000 },
      tableCeiling: { ...tableCeiling, writeUnits: 4_000 },
    };

    expect(dollars(production, 'API Gateway')).toBeCloseTo(500 * 86_400 * 3.5e-6, 6);
    expect(dollars(raised, 'API Gateway')).toBeCloseTo(1_000 * 86_400 * 3.5e-6, 6);
    // Three tables and an index.
    const addedWrites = 4 * 2_000 * 86_400;
    expect(dollars(raised, 'DynamoDB') - dollars(production, 'DynamoDB')).toBeGreaterThan(
      addedWrites * 0.625e-6,
    );
    expect(dollars(production, 'Firewall')).toBeGreaterThan(10_500 * 86_400 * 0.6e-6);
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
  const environment = { SHARDS: '3', WRITE_SHARDS: '3', IDS_PER_LEASE: '4' };

  async function recordActions(): Promise<string[]> {
    const { dynamoDb } = await import('../../../lib/dynamodb/client.ts');
    return interceptDatabase(({ pass }) => pass(), dynamoDb);
  }

  beforeEach(emptyStore);

  it('createPet updates the counter once a lease and spreads pets evenly over the shards', async () => {
    const createPet = await loadHandler('createPet', environment);
    await call(createPet, { body: {} }); // remembers the API key
    const actions = await recordActions();

    for (let n = 1; n <= 8; n += 1) await call(createPet, { body: { name: 'Rex', categoryId: 1 } });

    const four = Array(4).fill('PutItem');
    expect(actions).toEqual(['UpdateItem', ...four, 'UpdateItem', ...four]);
    const shards = (await storedPets()).map(({ statusShard }) => String(statusShard)).sort();
    expect(shards).toEqual([0, 0, 1, 1, 1, 2, 2, 2].map((shard) => `available#${shard}`));
  });

  it.each([{}, { status: 'available' as const }])(
    'listPets sends one query a shard: %j',
    async (query) => {
      const listPets = await loadHandler('listPets', environment);
      await call(listPets); // remembers the API key
      const actions = await recordActions();

      await call(listPets, { query });

      const queries = listQueries({ ...query, limit: 20 }, { shards: 3 });
      expect(actions).toEqual(Array(queries).fill('Query'));
    },
  );

  it('a made-up pet has the assumed size', () => {
    const sizes = Array.from({ length: 1_000 }, (_, n) =>
      itemBytes(petItem(samplePet(BigInt(100_000 + n)), crypto.randomUUID())),
    );

    const mean = sizes.reduce((sum, bytes) => sum + bytes) / sizes.length;

    expect(mean / petBytes).toBeCloseTo(1, 1);
  });
});

/** As DynamoDB counts: names and texts in UTF-8, a number a byte for two digits and one more. */
function itemBytes(item: ReturnType<typeof petItem>): number {
  const bytes = Object.entries(item).map(
    ([name, value]) =>
      Buffer.byteLength(name) +
      ('N' in value ? Math.ceil(value.N.length / 2) + 1 : Buffer.byteLength(value.S)),
  );
  return bytes.reduce((sum, each) => sum + each);
}

describe('priceOf', () => {
  it.each([
    [0, 0],
    [1e6, 3.5],
    [333e6, 1165.5],
    [334e6, 1168.3],
    [1e9, 3033.1],
  ])('prices %d requests by tiers', (requests, dollars) => {
    expect(priceOf('gatewayRequest', requests)).toBeCloseTo(dollars, 6);
  });
});

describe('priceTerms', () => {
  it('shows each tier that is reached', () => {
    expect(priceTerms('gatewayRequest', 334e6)).toBe(
      '333,000,000 × $0.0000035 + 1,000,000 × $0.0000028',
    );
  });
});

describe('monthlyCost', () => {
  const use = {
    requests: 1e6,
    durationMs: 6.5,
    memoryMb: 1_024,
    writeUnits: 3e6,
    readUnits: 2e6,
    logBytes: 2_000,
    responseBytes: 1_000,
  };

  it.each([
    ['API Gateway', 3.5],
    ['Firewall', 0.6],
    // 7 ms each, and 2 ms of init: 200 ms in one request of a hundred.
    ['Lambda', 0.2 + 9_000 * 0.0000133334],
    ['DynamoDB', 1.875 + 0.25],
    ['Logs', 1],
    ['X-Ray', 0.05],
    ['Data out', 0.09],
    [undefined, 7.6850006],
  ] as const)('is right for %s', (part, dollars) => {
    expect(monthlyCost(use, part)).toBeCloseTo(dollars, 6);
  });
});
