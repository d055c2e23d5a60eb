/** Where the prices are from. Free tiers are left out. */
export const priceSource =
  'the list prices of us-east-1 on the pricing pages of AWS (`https://aws.amazon.com/<service>/pricing/`), compared on 22 November 2026 with summaries that others published in 2025 and 2026';

/** List prices in US dollars. Each tier of a month: quantity, price of each. */
const prices = {
  gatewayRequest: [
    [333e6, 3.5e-6],
    [667e6, 2.8e-6],
    [19e9, 2.38e-6],
    [Number.POSITIVE_INFINITY, 1.51e-6],
  ],
  /** Blocked requests too. */
  firewallRequest: [[Number.POSITIVE_INFINITY, 0.6e-6]],
  tracedRequest: [[Number.POSITIVE_INFINITY, 5e-6]],
  lambdaRequest: [[Number.POSITIVE_INFINITY, 0.2e-6]],
  /** On arm64, the time of the init phase included. */
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
  /** To the internet. */
  transferredGb: [
    [10_000, 0.09],
    [40_000, 0.085],
    [100_000, 0.07],
    [Number.POSITIVE_INFINITY, 0.05],
  ],
  storedGbMonth: [[Number.POSITIVE_INFINITY, 0.25]],
  metricMonth: [[10_000, 0.3]],
  alarmMetricMonth: [[Number.POSITIVE_INFINITY, 0.1]],
  dashboardMonth: [[Number.POSITIVE_INFINITY, 3]],
  webAclMonth: [[Number.POSITIVE_INFINITY, 5]],
  firewallRuleMonth: [[Number.POSITIVE_INFINITY, 1]],
} as const satisfies Record<string, readonly (readonly [quantity: number, each: number])[]>;

export type Priced = keyof typeof prices;

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
