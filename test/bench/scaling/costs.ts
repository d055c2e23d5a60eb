import { markdownTable } from '../report.ts';
import { type Deployment, petBytes, requestMs } from './ceilings.ts';

/** What DynamoDB adds to each stored item in the bill for storage. */
const storageOverheadBytes = 100;

/** What the function, Lambda and the gateway log for a request: see docs/operations.md. */
export const logBytesPerRequest = 2_000;

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
const tracedShare = 0.05;

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
  logBytesPerRequest: number;
};

type Part = 'gateway' | 'firewall' | 'lambda' | 'dynamoDb' | 'logs' | 'tracing';
type MonthlyCost = Record<Part | 'total', number>;

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

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const dollars = (amount: number) => `$${whole.format(amount)}`;
const cents = (amount: number) => `$${amount.toFixed(2)}`;

/** What creates cost in a month, and how the first row adds up. */
export function costTables(rates: readonly number[], deployments: readonly Deployment[]): string[] {
  const creates = deployments.map((deployment, index) => createUse(rates[index] ?? 0, deployment));
  const head = [
    'API Gateway',
    'Firewall',
    'Lambda',
    'DynamoDB',
    'Logs',
    'X-Ray',
    'A month',
    'A million',
  ];
  return [
    'Creates at a constant rate for 30 days. “Stored” is what the pets of that month cost in each later month.',
    markdownTable(
      ['Creates a second', ...head, 'Stored'],
      creates.map((use, index) => [
        whole.format(rates[index] ?? 0),
        ...costCells(monthlyCost(use), use.requests),
        dollars(storedCost(use.requests)),
      ]),
    ),
    'How the first row adds up, at the list prices of us-east-1 in 2025 (look up the prices of your Region and day):',
    arithmetic(creates[0] as CreateUse)
      .map((line) => `- ${line}`)
      .join('\n'),
  ];
}

type CreateUse = ReturnType<typeof createUse>;

function createUse(createsPerSecond: number, { settings }: Deployment) {
  const requests = createsPerSecond * secondsPerMonth;
  return {
    requests,
    memoryMb: settings.memoryMb,
    logBytesPerRequest,
    durationMs: requestMs,
    // The pet, its index entry, and its share of a lease.
    writeUnits: requests * (2 + 1 / settings.idsPerLease),
    readUnits: 0,
  };
}

function costCells(cost: MonthlyCost, requests: number): string[] {
  const { gateway, firewall, lambda, dynamoDb, logs, tracing, total } = cost;
  return [
    ...[gateway, firewall, lambda, dynamoDb, logs, tracing, total].map(dollars),
    cents((total / requests) * 1_000_000),
  ];
}

/** Each pet is stored in the table and in the index. */
function storedCost(pets: number): number {
  return priceOf('storedGbMonth', (pets * 2 * (petBytes + storageOverheadBytes)) / 2 ** 30);
}

function arithmetic({ requests, durationMs, writeUnits }: CreateUse): string[] {
  const ms = Math.ceil(durationMs);
  const line = (what: string, priced: Priced, quantity: number) =>
    `${what}: ${priceTerms(priced, quantity)} = ${cents(priceOf(priced, quantity))}`;
  return [
    line('API Gateway, requests', 'gatewayRequest', requests),
    line('Firewall, requests', 'firewallRequest', requests),
    line('Lambda, requests', 'lambdaRequest', requests),
    line(`Lambda, GB-seconds of ${ms} ms at 1 GB`, 'lambdaGbSecond', (requests * ms) / 1_000),
    line('DynamoDB, write units', 'writeUnit', writeUnits),
    line('Logs, GB', 'logGb', (requests * logBytesPerRequest) / 1e9),
    line('X-Ray, traced requests', 'tracedRequest', requests * tracedShare),
    line(
      'Stored, GB',
      'storedGbMonth',
      (requests * 2 * (petBytes + storageOverheadBytes)) / 2 ** 30,
    ),
  ];
}
