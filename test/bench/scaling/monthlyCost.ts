/** List prices of us-east-1 in US dollars, as of 2025. Each tier: quantity, price of each. */
const prices = {
  gatewayRequest: [
    [333e6, 3.5e-6],
    [667e6, 2.8e-6],
    [19e9, 2.38e-6],
    [Number.POSITIVE_INFINITY, 1.51e-6],
  ],
  firewallRequest: [[Number.POSITIVE_INFINITY, 0.6e-6]],
  tracedRequest: [[Number.POSITIVE_INFINITY, 5e-6]],
  lambdaRequest: [[Number.POSITIVE_INFINITY, 0.2e-6]],
  /** On arm64. */
  lambdaGbSecond: [
    [7.5e9, 0.0000133334],
    [11.25e9, 0.0000120001],
    [Number.POSITIVE_INFINITY, 0.0000106667],
  ],
  writeUnit: [[Number.POSITIVE_INFINITY, 0.625e-6]],
  readUnit: [[Number.POSITIVE_INFINITY, 0.125e-6]],
  /** For the logs of Lambda functions. */
  logGb: [
    [10_000, 0.5],
    [20_000, 0.25],
    [20_000, 0.1],
    [Number.POSITIVE_INFINITY, 0.05],
  ],
  storedGbMonth: [[Number.POSITIVE_INFINITY, 0.25]],
} as const satisfies Record<string, readonly (readonly [quantity: number, each: number])[]>;

export type Priced = keyof typeof prices;

/** The share of requests that X-Ray traces. */
export const tracedShare = 0.05;

/** A month of 30 days. */
export const secondsPerMonth = 30 * 24 * 60 * 60;

/** The price of a quantity used in a month. */
export function priceOf(priced: Priced, quantity: number): number {
  return tiersOf(priced, quantity).reduce((sum, [taken, each]) => sum + taken * each, 0);
}

/** How the price adds up, tier by tier: `333,000,000 × $0.0000035 + …`. */
export function priceTerms(priced: Priced, quantity: number): string {
  return tiersOf(priced, quantity)
    .map(([taken, each]) => `${termFormat.format(taken)} × $${termFormat.format(each)}`)
    .join(' + ');
}

const termFormat = new Intl.NumberFormat('en', { maximumSignificantDigits: 9 });

function tiersOf(priced: Priced, quantity: number): [taken: number, each: number][] {
  const taken: [number, number][] = [];
  let left = quantity;
  for (const [tier, each] of prices[priced]) {
    if (left <= 0) break;
    taken.push([Math.min(left, tier), each]);
    left -= tier;
  }
  return taken;
}

type MonthlyUse = {
  requests: number;
  durationMs: number;
  memoryMb: number;
  writeUnits: number;
  readUnits: number;
  logBytesPerRequest: number;
};

type Part = 'gateway' | 'firewall' | 'lambda' | 'dynamoDb' | 'logs' | 'tracing';
export type MonthlyCost = Record<Part | 'total', number>;

/** What the requests of a month cost, without data transfer and storage. */
export function monthlyCost(use: MonthlyUse): MonthlyCost {
  const { requests, durationMs, memoryMb } = use;
  const gbSeconds = (requests * Math.ceil(durationMs) * memoryMb) / 1_000 / 1_024;
  const parts = {
    gateway: priceOf('gatewayRequest', requests),
    firewall: priceOf('firewallRequest', requests),
    lambda: priceOf('lambdaRequest', requests) + priceOf('lambdaGbSecond', gbSeconds),
    dynamoDb: priceOf('writeUnit', use.writeUnits) + priceOf('readUnit', use.readUnits),
    logs: priceOf('logGb', (requests * use.logBytesPerRequest) / 1e9),
    tracing: priceOf('tracedRequest', requests * tracedShare),
  };
  const total = Object.values(parts).reduce((sum, part) => sum + part);
  return { ...parts, total };
}
