import { markdownTable } from '../report.ts';
import { type Deployment, petBytes, requestMs } from './ceilings.ts';

/** What DynamoDB adds to each stored item in the bill for storage. */
const storageOverheadBytes = 100;

/** What the function and the gateway log for a request: see docs/operations.md. */
const logBytesPerRequest = 1_100;

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

type Priced = keyof typeof prices;

/** The share of requests that X-Ray traces. */
const tracedShare = 0.01;

/** A month of 30 days. */
const secondsPerMonth = 30 * 24 * 60 * 60;

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
};

const parts = ['API Gateway', 'Firewall', 'Lambda', 'DynamoDB', 'Logs', 'X-Ray'] as const;

type CostLine = { part: (typeof parts)[number]; what: string; priced: Priced; quantity: number };

/** What the requests of a month are charged for, without data transfer and storage. */
function costLines(use: MonthlyUse): CostLine[] {
  const { requests, memoryMb, writeUnits, readUnits } = use;
  const ms = Math.ceil(use.durationMs);
  const memoryGb = memoryMb / 1_024;
  const gbSeconds = (requests * ms * memoryGb) / 1_000;
  const gbSecondsOf = `GB-seconds of ${ms} ms at ${memoryGb} GB`;
  const logGb = (requests * logBytesPerRequest) / 1e9;
  const traced = requests * tracedShare;
  return [
    { part: 'API Gateway', what: 'requests', priced: 'gatewayRequest', quantity: requests },
    { part: 'Firewall', what: 'requests', priced: 'firewallRequest', quantity: requests },
    { part: 'Lambda', what: 'requests', priced: 'lambdaRequest', quantity: requests },
    { part: 'Lambda', what: gbSecondsOf, priced: 'lambdaGbSecond', quantity: gbSeconds },
    { part: 'DynamoDB', what: 'write units', priced: 'writeUnit', quantity: writeUnits },
    { part: 'DynamoDB', what: 'read units', priced: 'readUnit', quantity: readUnits },
    { part: 'Logs', what: 'GB', priced: 'logGb', quantity: logGb },
    { part: 'X-Ray', what: 'traced requests', priced: 'tracedRequest', quantity: traced },
  ];
}

/** What a month of this use costs: a part of the bill, or all of them. */
export function monthlyCost(use: MonthlyUse, part?: CostLine['part']): number {
  const lines = costLines(use).filter((line) => !part || line.part === part);
  return lines.reduce((sum, { priced, quantity }) => sum + priceOf(priced, quantity), 0);
}

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const dollars = (amount: number) => `$${whole.format(amount)}`;
const cents = (amount: number) => `$${amount.toFixed(2)}`;

/** What creates cost in a month, and how the first row adds up. */
export function costTables(rates: readonly number[], deployments: readonly Deployment[]): string[] {
  const uses = deployments.map((deployment, index) => createUse(rates[index] ?? 0, deployment));
  const rows = uses.map((use, index) => [
    whole.format(rates[index] ?? 0),
    ...parts.map((part) => dollars(monthlyCost(use, part))),
    dollars(monthlyCost(use)),
    cents((monthlyCost(use) / use.requests) * 1_000_000),
    dollars(priceOf('storedGbMonth', storedGb(use.requests))),
  ]);
  const [firstUse] = uses as [MonthlyUse];
  const lines = [
    ...costLines(firstUse).filter(({ quantity }) => quantity > 0),
    {
      part: 'Stored',
      what: 'GB',
      priced: 'storedGbMonth',
      quantity: storedGb(firstUse.requests),
    } as const,
  ].map(
    ({ part, what, priced, quantity }) =>
      `- ${part}, ${what}: ${priceTerms(priced, quantity)} = ${cents(priceOf(priced, quantity))}`,
  );
  return [
    'Creates at a constant rate for 30 days. “Stored” is what the pets of that month cost in each later month.',
    markdownTable(['Creates a second', ...parts, 'A month', 'A million', 'Stored'], rows),
    'How the first row adds up, at the list prices of us-east-1 in 2025 (look up the prices of your Region and day):',
    lines.join('\n'),
  ];
}

function createUse(createsPerSecond: number, { settings }: Deployment): MonthlyUse {
  const requests = createsPerSecond * secondsPerMonth;
  return {
    requests,
    memoryMb: settings.memoryMb,
    durationMs: requestMs,
    // The pet, its index entry, and its share of a lease.
    writeUnits: requests * (2 + 1 / settings.idsPerLease),
    readUnits: 0,
  };
}

/** Each pet is stored in the table and in the index. */
function storedGb(pets: number): number {
  return (pets * 2 * (petBytes + storageOverheadBytes)) / 2 ** 30;
}
