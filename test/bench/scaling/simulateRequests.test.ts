import { describe, expect, it } from 'vitest';
import { createCeilings, listCeilings } from './ceilings.ts';
import { settingsFor } from './settingsFor.ts';
import { simulateRequests } from './simulateRequests.ts';

const wide = { shards: 100, idsPerLease: 100 };

/** The creates that are taken of far too many. */
function mostCreates(settings: typeof wide, units = Number.POSITIVE_INFINITY): number {
  const tableUnits = { read: units, write: units };
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
      }),
    );

    expect(lists.map(({ listsPerSecond }) => listsPerSecond)).toEqual([6_000, 6_000]);
  });
});

const noLimit = {
  memoryMb: 1_024,
  throttle: { requestsPerSecond: 1e9, burstRequests: 1e9 },
  tableCeiling: { readUnits: 1e9, writeUnits: 1e9 },
};
const noQuotas = { tableUnits: 1e9, gatewayRequests: 1e9, lambdaConcurrency: 1e9 };

describe('createCeilings', () => {
  it.each([1, 3, 10])('says beforehand what the simulation finds with %i shards', (shards) => {
    const settings = { ...noLimit, shards, idsPerLease: 4 };
    const quotas = { ...noQuotas, tableUnits: 40_000 };

    const [lowest] = createCeilings({ settings, quotas });

    expect(mostCreates(settings, quotas.tableUnits) / (lowest?.requestsPerSecond ?? 0)).toBeCloseTo(
      1,
      2,
    );
  });

  it('names the throttle of the stage where it is reached first', () => {
    const throttle = { requestsPerSecond: 500, burstRequests: 1_000 };
    const settings = { ...noLimit, throttle, shards: 1, idsPerLease: 10 };

    expect(createCeilings({ settings, quotas: noQuotas })[0]).toEqual({
      name: 'throttle',
      requestsPerSecond: 500,
    });
  });
});

describe('listCeilings', () => {
  it('counts each shard that is asked against the units of the index', () => {
    const tableCeiling = { readUnits: 5_000, writeUnits: 5_000 };
    const settings = { ...noLimit, tableCeiling, shards: 50, idsPerLease: 1 };
    const list = { status: 'available', limit: 20 } as const;

    expect(listCeilings(list, { settings, quotas: noQuotas })[0]).toEqual({
      name: 'units of the index',
      requestsPerSecond: 200,
    });
  });
});

describe('settingsFor', () => {
  const current = {
    shards: 1,
    idsPerLease: 10,
    memoryMb: 1_024,
    throttle: { requestsPerSecond: 500, burstRequests: 1_000 },
    tableCeiling: { readUnits: 6_000, writeUnits: 2_000 },
  };

  it.each([100, 1_000, 10_000, 100_000])('carries %i creates a second', (createsPerSecond) => {
    const deployment = settingsFor(createsPerSecond, current);
    const { settings } = deployment;
    const { readUnits: read, writeUnits: write } = settings.tableCeiling;

    const taken = simulateRequests({ settings, createsPerSecond, tableUnits: { read, write } });

    expect(taken.createsPerSecond / createsPerSecond).toBeCloseTo(1, 2);
    expect(createCeilings(deployment)[0]?.requestsPerSecond).toBeGreaterThan(createsPerSecond);
  });
});
