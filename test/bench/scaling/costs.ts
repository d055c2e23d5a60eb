import { markdownTable } from '../report.ts';
import {
  type Deployment,
  type List,
  listUnits,
  petBytes,
  requestMs,
  type StageSettings,
} from './ceilings.ts';
import { type Priced, priceOf, priceSource, priceTerms } from './prices.ts';

/** What DynamoDB adds to each stored item in the bill for storage. */
const storageOverheadBytes = 100;

/** What a successful request logs in its function: `npm run bench:log`. */
export const functionLogBytes = { createPet: 923, listPets: 865, getPet: 1_174 };

/** Estimates: the platform lines of Lambda for a request, and the line of the access log. */
export const lambdaLogBytes = 650;
export const accessLogBytes = 419;

/** Assumed: the headers of a response, with those that API Gateway adds, and the JSON of a pet. */
export const headerBytes = 1_000;
const petJsonBytes = 65;

/** The share of requests that start a function: fewer than 1 %, says AWS of all its customers. */
const initShare = 0.01;

/** The init phase of a function: docs/performance.md, rounded up. */
const initMs = 200;

/** The share of requests that X-Ray traces. */
const tracedShare = 0.05;

/** A month of 30 days. */
const secondsPerMonth = 30 * 24 * 60 * 60;

type MonthlyUse = {
  requests: number;
  durationMs: number;
  memoryMb: number;
  writeUnits: number;
  readUnits: number;
  logBytes: number;
  responseBytes: number;
};

const parts = [
  'API Gateway',
  'Firewall',
  'Lambda',
  'DynamoDB',
  'Logs',
  'X-Ray',
  'Data out',
] as const;

type CostLine = { part: (typeof parts)[number]; what: string; priced: Priced; quantity: number };

/** What the requests of a month are charged for, without storage. */
function costLines(use: MonthlyUse): CostLine[] {
  const { requests, memoryMb, writeUnits, readUnits } = use;
  const ms = Math.ceil(use.durationMs);
  const memoryGb = memoryMb / 1_024;
  const gbSeconds = (requests * (ms + initShare * initMs) * memoryGb) / 1_000;
  const gbSecondsOf = `GB-seconds of ${ms} ms, and in 1 % of the requests ${initMs} ms of init, at ${memoryGb} GB`;
  const logGb = (requests * use.logBytes) / 1e9;
  const transferredGb = (requests * use.responseBytes) / 1e9;
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
    { part: 'Data out', what: 'GB', priced: 'transferredGb', quantity: transferredGb },
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
    `How the first row adds up, at ${priceSource}:`,
    lines.join('\n'),
  ];
}

function createUse(
  createsPerSecond: number,
  { settings }: Pick<Deployment, 'settings'>,
): MonthlyUse {
  const requests = createsPerSecond * secondsPerMonth;
  return {
    requests,
    memoryMb: settings.memoryMb,
    durationMs: requestMs,
    // The pet, its index entry, and its share of a lease.
    writeUnits: requests * (2 + 1 / settings.idsPerLease),
    readUnits: 0,
    ...requestBytes('createPet', 1),
  };
}

/** What a request of an operation logs and sends, with so many pets in its response. */
export function requestBytes(operation: keyof typeof functionLogBytes, pets: number) {
  return {
    logBytes: functionLogBytes[operation] + lambdaLogBytes + accessLogBytes,
    responseBytes: headerBytes + pets * petJsonBytes,
  };
}

/** What a million requests of each operation cost, at the prices of the first tiers. */
export function millionTable(settings: StageSettings): string {
  const requests = 1_000_000;
  const list: List = { limit: 20 };
  const use = { requests, memoryMb: settings.memoryMb, durationMs: requestMs };
  const uses: MonthlyUse[] = [
    createUse(requests / secondsPerMonth, { settings }),
    {
      ...use,
      writeUnits: 0,
      readUnits: requests * listUnits(list, settings),
      ...requestBytes('listPets', list.limit),
    },
    { ...use, writeUnits: 0, readUnits: requests, ...requestBytes('getPet', 1) },
  ];
  const row = (part?: CostLine['part']) => uses.map((each) => cents(monthlyCost(each, part)));
  return markdownTable(
    ['A million requests', '`createPet`', '`listPets`', '`getPet`'],
    [...parts.map((part) => [part, ...row(part)]), ['**Sum**', ...row()]],
  );
}

/** Each pet is stored in the table and in the index. */
function storedGb(pets: number): number {
  return (pets * 2 * (petBytes + storageOverheadBytes)) / 2 ** 30;
}
