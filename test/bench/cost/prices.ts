/** When and where the list prices were compared. Free tiers are left out. */
const priceDate = '22 November 2026';
const priceRegion = 'us-east-1';

/** The page of AWS that has the prices of a service, below `https://aws.amazon.com/`. */
const pages = {
  apiGateway: 'api-gateway/pricing/',
  firewall: 'waf/pricing/',
  lambda: 'lambda/pricing/',
  dynamoDb: 'dynamodb/pricing/on-demand/',
  cloudWatch: 'cloudwatch/pricing/',
  xRay: 'xray/pricing/',
  transfer: 'ec2/pricing/on-demand/',
} as const;

type Tiers = readonly (readonly [quantity: number, each: number])[];

const all = (each: number): Tiers => [[Number.POSITIVE_INFINITY, each]];

/** List prices in US dollars, by the service whose page has them. Each tier of a month: quantity, price of each. */
const prices = {
  apiGateway: {
    gatewayRequest: [
      [333e6, 3.5e-6],
      [667e6, 2.8e-6],
      [19e9, 2.38e-6],
      [Number.POSITIVE_INFINITY, 1.51e-6],
    ],
    /** Of an HTTP API, up to 512 KB. */
    httpApiRequest: [
      [300e6, 1e-6],
      [Number.POSITIVE_INFINITY, 0.9e-6],
    ],
  },
  firewall: {
    /** Blocked requests too. */
    firewallRequest: all(0.6e-6),
    webAclMonth: all(5),
    firewallRuleMonth: all(1),
  },
  lambda: {
    lambdaRequest: all(0.2e-6),
    /** On arm64, the time of the init phase included. */
    lambdaGbSecond: [
      [7.5e9, 0.0000133334],
      [11.25e9, 0.0000120001],
      [Number.POSITIVE_INFINITY, 0.0000106667],
    ],
    /** On x86, the first tier. */
    x86GbSecond: all(0.0000166667),
  },
  dynamoDb: {
    writeUnit: all(0.625e-6),
    readUnit: all(0.125e-6),
    storedGbMonth: all(0.25),
  },
  cloudWatch: {
    /** For the logs of Lambda functions. */
    logGb: [
      [10_000, 0.5],
      [20_000, 0.25],
      [20_000, 0.1],
      [Number.POSITIVE_INFINITY, 0.05],
    ],
    /** For a log of the class Infrequent Access. */
    infrequentLogGb: all(0.25),
    metricMonth: [[10_000, 0.3]],
    alarmMetricMonth: all(0.1),
    compositeAlarmMonth: all(0.5),
    dashboardMonth: all(3),
  },
  xRay: { tracedRequest: all(5e-6) },
  transfer: {
    /** To the internet. */
    transferredGb: [
      [10_000, 0.09],
      [40_000, 0.085],
      [100_000, 0.07],
      [Number.POSITIVE_INFINITY, 0.05],
    ],
  },
} as const satisfies Record<keyof typeof pages, Record<string, Tiers>>;

type Prices = typeof prices;

export type Priced = { [Service in keyof Prices]: keyof Prices[Service] }[keyof Prices] & string;

const tiers: Record<string, Tiers> = Object.assign({}, ...Object.values(prices));

/** The source of the prices, for a document. */
export const priceSource = `the list prices of ${priceRegion} on the pricing pages of AWS (${Object.values(
  pages,
)
  .map((page) => `[${page.split('/', 1)}](https://aws.amazon.com/${page})`)
  .join(', ')}), compared on ${priceDate} with summaries that others published in 2025 and 2026`;

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
  for (const [tier, each] of tiers[priced] ?? []) {
    if (left <= 0) break;
    taken.push([Math.min(left, tier), each]);
    left -= tier;
  }
  return taken;
}
