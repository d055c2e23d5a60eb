import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Stage, stages } from '../../../infra/stages.ts';
import { runScript } from '../../helpers/npmScript.ts';
import { costSections } from '../cost.ts';
import { withSection } from '../report.ts';
import { sumOf } from './bill.ts';
import { millionUses, monthlyCost, ownCost } from './costs.ts';
import { worstDay } from './dailyWorstCase.ts';
import { priceOf, priceTerms } from './prices.ts';
import { accessLogBytes, requestBytes } from './requestBytes.ts';

const production = stages[0] as Stage;

describe('docs/costs.md', () => {
  it('contains what the costs add up to; if not, run npm run cost -- --write', async () => {
    const document = readFileSync('docs/costs.md', 'utf8');

    const sections = Object.entries(await costSections());

    const written = sections.reduce(
      (text, [name, section]) => withSection(text, name, section),
      document,
    );
    expect(document).toBe(written);
  });
});

describe('requestBytes.json', () => {
  // Without `gzippedBody`: versions of zlib differ by bytes.
  it('contains what is measured; if not, run npm run bench:log -- --write', async () => {
    const { stdout } = await runScript('bench:log', []);

    for (const [name, bytes] of Object.entries(requestBytes)) {
      const { functionLog, metrics, body } = bytes;
      const figures = [name, functionLog, metrics.length, body].join(' *\\| *');
      expect(stdout).toMatch(new RegExp(`^\\| ${figures} \\|`, 'm'));
    }
    expect(stdout).toContain(`Access log: ${accessLogBytes} bytes`);
  });
});

describe('worstDay', () => {
  const dollars = (stage: Stage, service: string) =>
    sumOf(worstDay(stage).filter((each) => each.service === service));

  it('bills every service that a request reaches, and what an idle stage costs', () => {
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

describe('a million createPet requests to production', () => {
  it('cost at most half of the $1.72 that the service decided before', () => {
    const { '`createPet`': creates } = millionUses(production);

    expect(creates && ownCost(creates)).toBeLessThanOrEqual(1.72 / 2);
  });
});

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
    initMs: 200,
    memoryMb: 1_024,
    tracedShare: 0.01,
    hasFirewall: true,
    writeUnits: 3e6,
    readUnits: 2e6,
    functionLogBytes: 1_500,
    accessLogBytes: 500,
    responseBytes: 1_000,
    metrics: 3,
  };

  it.each([
    ['API Gateway', 3.5],
    ['Firewall', 0.6],
    ['DynamoDB', 1.875 + 0.25],
    ['Data out', 0.09],
    // 7 ms each, and 2 ms of init: 200 ms in one request of a hundred.
    ['Lambda', 0.2 + 9_000 * 0.0000133334],
    ['Logs', 0.75 + 0.125],
    ['X-Ray', 0.05],
    ['Metrics', 0.9],
  ] as const)('is right for %s', (part, dollars) => {
    expect(monthlyCost(use, [part])).toBeCloseTo(dollars, 6);
  });

  it('adds up all parts, without a firewall if the stage has none', () => {
    expect(monthlyCost(use)).toBeCloseTo(8.4600006, 6);
    expect(monthlyCost({ ...use, hasFirewall: false })).toBeCloseTo(7.8600006, 6);
  });
});
