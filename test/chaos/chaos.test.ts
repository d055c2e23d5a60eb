import { describe, expect, it } from 'vitest';
import { config } from '../../lib/config.ts';
import { apiKey } from '../helpers/api.ts';
import { faultSchedule, faults } from './faultSchedule.ts';
import { runChaosOnFunctions } from './runChaos.ts';

describe('the service under chaos', () => {
  // The short form of `npm run test:chaos`.
  it('keeps every promise while the database fails and processes are killed', async () => {
    const report = await runChaosOnFunctions(
      { seed: 3, durationMs: 800, clients: 24, instances: 2, killEveryMs: 500 },
      {
        endpoint: process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '',
        petsTableName: config.petsTableName,
        apiKey,
        environment: { IDS_PER_LEASE: '5', SHARDS: '2', WRITE_SHARDS: '2' },
      },
    );

    expect(report.violations).toEqual([]);
    expect(report.failures).toEqual([]);
    expect(report.acknowledged).toBeGreaterThan(0);
    expect(report.kills).toBeGreaterThan(0);
    expect(Object.keys(report.faults).length).toBeGreaterThan(1);
  });
});

describe('faultSchedule', () => {
  const scheduleOf = (seed: number) =>
    Array.from({ length: 2000 }, (_, n) => faultSchedule(seed)(n));

  it('gives the same faults for the same seed, and other faults for another seed', () => {
    expect(scheduleOf(1)).toEqual(scheduleOf(1));
    expect(scheduleOf(1)).not.toEqual(scheduleOf(2));
  });

  it('contains every fault, quiet times and storms', () => {
    const schedule = scheduleOf(1);
    const rates = Array.from({ length: 20 }, (_, storm) => {
      const part = schedule.slice(storm * 100, (storm + 1) * 100);
      return part.filter(({ fault }) => fault !== undefined).length;
    });

    expect(new Set(schedule.map(({ fault }) => fault))).toEqual(new Set([undefined, ...faults]));
    expect(Math.min(...rates)).toBeLessThan(30);
    expect(Math.max(...rates)).toBeGreaterThan(50);
  });
});
