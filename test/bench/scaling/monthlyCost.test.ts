import { describe, expect, it } from 'vitest';
import { monthlyCost, priceOf, priceTerms } from './monthlyCost.ts';

describe('priceOf', () => {
  it.each([
    [0, 0],
    [1e6, 3.5],
    [333e6, 1165.5],
    [334e6, 1168.3],
    [1e9, 3033.1],
  ])('takes %d requests through the tiers', (requests, dollars) => {
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
  it('adds up what a million creates cost', () => {
    const cost = monthlyCost({
      requests: 1e6,
      durationMs: 6.5,
      memoryMb: 1_024,
      writeUnits: 3e6,
      readUnits: 0,
      logBytesPerRequest: 1_000,
    });

    expect(cost.gateway).toBeCloseTo(3.5, 6);
    expect(cost.lambda).toBeCloseTo(0.2 + 7_000 * 0.0000133334, 6);
    expect(cost.dynamoDb).toBeCloseTo(1.875, 6);
    expect(cost.logs).toBeCloseTo(0.5, 6);
    expect(cost.firewall).toBeCloseTo(0.6, 6);
    expect(cost.tracing).toBeCloseTo(0.25, 6);
    expect(cost.total).toBeCloseTo(3.5 + 0.6 + 0.2 + 7_000 * 0.0000133334 + 1.875 + 0.5 + 0.25, 6);
  });
});
