import { describe, expect, it } from 'vitest';
import { createCeilings, listCeilings } from './ceilings.ts';
import { settingsFor } from './settingsFor.ts';
import { simulateRequests } from './simulateRequests.ts';

const noQuota = Number.MAX_SAFE_INTEGER;
const wide = { shards: 100, idsPerLease: 100 };

/** The creates that are taken of far too many. */
function mostCreates(settings: typeof wide, tableUnits = noQuota): number {
  return simulateRequests({ settings, createsPerSecond: 20_000, tableUnits }).createsPerSecond;
}

describe('simulateRequests', () => {
  it.each([
    ['the counter, for each id of a lease 1,000', { shards: 100, idsPerLease: 1 }, 1_000],
    ['the counter, for each id of a lease 1,000', { shards: 100, idsPerLease: 7 }, 7_000],
    ['the shards, 1,000 each: the index pushes back', { shards: 1, idsPerLease: 100 }, 1_000],
    ['the shards, 1,000 each: the index pushes back', { shards: 7, idsPerLease: 100 }, 7_000],
  ])('is held up by %s: %j', (_ceiling, settings, most) => {
    expect(mostCreates(settings) / most).toBeCloseTo(1, 2);
  });

  it('is held up by nothing where both are wide enough', () => {
    expect(mostCreates(wide)).toBe(20_000);
  });

  it('is held up by the quota of the table, of which the leases take a part', () => {
    expect(mostCreates({ ...wide, idsPerLease: 2 }, 1_500)).toBeCloseTo(1_000, -1);
  });

  it('gives the first page no more lists with more shards', () => {
    const lists = [1, 10].map((shards) =>
      simulateRequests({
        settings: { shards, idsPerLease: 1 },
        listsPerSecond: 20_000,
        tableUnits: noQuota,
      }),
    );

    expect(lists.map(({ listsPerSecond }) => listsPerSecond)).toEqual([6_000, 6_000]);
  });
});

describe('createCeilings', () => {
  it.each([1, 3, 10])('says beforehand what the simulation finds with %i shards', (shards) => {
    const settings = { shards, idsPerLease: 4 };
    const quotas = { tableUnits: 40_000, gatewayRequests: 1e9, lambdaConcurrency: 1e9 };

    const [lowest] = createCeilings(settings, quotas);

    expect(lowest?.requestsPerSecond).toBe(mostCreates(settings, quotas.tableUnits));
  });
});

describe('listCeilings', () => {
  it('counts each shard that is asked against the quota of the index', () => {
    const settings = { shards: 50, idsPerLease: 1 };
    const quotas = { tableUnits: 5_000, gatewayRequests: 1e9, lambdaConcurrency: 1e9 };

    const [lowest] = listCeilings({ status: 'available', limit: 20 }, settings, quotas);

    expect(lowest).toEqual({ name: 'index quota', requestsPerSecond: 200 });
  });
});

describe('settingsFor', () => {
  it.each([100, 1_000, 10_000, 100_000])('carries %i creates a second', (createsPerSecond) => {
    const { settings, quotas } = settingsFor(createsPerSecond, { shards: 1, idsPerLease: 10 });

    const taken = simulateRequests({ settings, createsPerSecond, tableUnits: quotas.tableUnits });

    expect(taken.createsPerSecond / createsPerSecond).toBeCloseTo(1, 2);
    expect(createCeilings(settings, quotas)[0]?.requestsPerSecond).toBeGreaterThan(
      createsPerSecond,
    );
  });
});
