import { markdownTable } from '../report.ts';
import {
  type Deployment,
  type List,
  listMs,
  listUnits,
  petBytes,
  requestMs,
  type StageSettings,
} from '../scaling/ceilings.ts';
import { headerBytes, initShare } from './assumptions.ts';
import { type Priced, priceOf, priceSource, priceTerms } from './prices.ts';
import { accessLogBytes, type RequestName, requestBytes } from './requestBytes.ts';
import { timesOf } from './requestTimes.ts';

/** What DynamoDB adds to each stored item in the bill for storage. */
const storageOverheadBytes = 100;

/** A month of 30 days. */
const secondsPerMonth = 30 * 24 * 60 * 60;

export type MonthlyUse = {
  requests: number;
  durationMs: number;
  /** The init phase of a function. */
  initMs: number;
  memoryMb: number;
  tracedShare: number;
  hasFirewall: boolean;
  writeUnits: number;
  readUnits: number;
  functionLogBytes: number;
  accessLogBytes: number;
  responseBytes: number;
  /** Metrics of our own that the requests publish. */
  metrics: number;
};

const parts = [
  'API Gateway',
  'Firewall',
  'DynamoDB',
  'Data out',
  'Lambda',
  'Logs',
  'X-Ray',
  'Metrics',
] as const;

type Part = (typeof parts)[number];

/** The parts that the code and the settings of the service decide, at the same interface and traffic. */
const ownParts: readonly Part[] = ['Lambda', 'Logs', 'X-Ray', 'Metrics'];

type CostLine = { part: Part; what: string; priced: Priced; quantity: number };

type LambdaUse = Pick<MonthlyUse, 'requests' | 'durationMs' | 'initMs' | 'memoryMb'>;

export function gbSecondsOf({ requests, durationMs, initMs, memoryMb }: LambdaUse): number {
  const billedMs = Math.ceil(durationMs) + initShare * initMs;
  return (requests * billedMs * memoryMb) / 1_024 / 1_000;
}

/** What the requests of a month are charged for, without storage. */
function costLines(use: MonthlyUse): CostLine[] {
  const { requests, durationMs, memoryMb, writeUnits, readUnits } = use;
  const gbSeconds = `GB-seconds of ${Math.ceil(durationMs)} ms, and in 1 % of the requests ${use.initMs} ms of init, at ${memoryMb / 1_024} GB`;
  const gb = (bytes: number) => (requests * bytes) / 1e9;
  return [
    line('API Gateway', 'requests', 'gatewayRequest', requests),
    line('Firewall', 'requests', 'firewallRequest', use.hasFirewall ? requests : 0),
    line('DynamoDB', 'write units', 'writeUnit', writeUnits),
    line('DynamoDB', 'read units', 'readUnit', readUnits),
    line('Data out', 'GB', 'transferredGb', gb(use.responseBytes)),
    line('Lambda', 'requests', 'lambdaRequest', requests),
    line('Lambda', gbSeconds, 'lambdaGbSecond', gbSecondsOf(use)),
    line('Logs', 'GB of the function', 'logGb', gb(use.functionLogBytes)),
    line('Logs', 'GB of the access log', 'infrequentLogGb', gb(use.accessLogBytes)),
    line('X-Ray', 'traced requests', 'tracedRequest', requests * use.tracedShare),
    line('Metrics', 'metrics of our own', 'metricMonth', use.metrics),
  ];
}

function line(part: Part, what: string, priced: Priced, quantity: number): CostLine {
  return { part, what, priced, quantity };
}

/** What a month of this use costs: some parts of the bill, or all of them. */
export function monthlyCost(use: MonthlyUse, only: readonly Part[] = parts): number {
  const lines = costLines(use).filter(({ part }) => only.includes(part));
  return lines.reduce((sum, { priced, quantity }) => sum + priceOf(priced, quantity), 0);
}

/** What the service itself decides of the bill. */
export function ownCost(use: MonthlyUse): number {
  return monthlyCost(use, ownParts);
}

/** What a month with so many requests of a kind uses. */
function useOf(
  name: RequestName,
  requests: number,
  settings: StageSettings,
  perRequest: Partial<Pick<MonthlyUse, 'durationMs' | 'readUnits' | 'writeUnits'>> = {},
): MonthlyUse {
  const { memoryMb, tracedShare, firewall } = settings;
  const { functionLog, metrics, body } = requestBytes[name];
  const {
    durationMs = requestMs('createPet', settings),
    readUnits = 0,
    writeUnits = 0,
  } = perRequest;
  return {
    requests,
    durationMs,
    initMs: timesOf('createPet', memoryMb).initMs,
    memoryMb,
    tracedShare,
    hasFirewall: firewall !== undefined,
    readUnits: requests * readUnits,
    writeUnits: requests * writeUnits,
    functionLogBytes: functionLog,
    accessLogBytes,
    responseBytes: headerBytes + body,
    metrics: metrics.length,
  };
}

/** Creates write the pet, its index entry, and their share of a lease. */
function createUse(requests: number, settings: StageSettings): MonthlyUse {
  return useOf('createPet', requests, settings, { writeUnits: 2 + 1 / settings.idsPerLease });
}

export function listUse(requests: number, settings: StageSettings, list: List): MonthlyUse {
  const perRequest = { durationMs: listMs(list, settings), readUnits: listUnits(list, settings) };
  return useOf(`listPets of ${list.limit}`, requests, settings, perRequest);
}

const million = 1_000_000;

/** A million requests of each kind. */
export function millionUses(settings: StageSettings): Record<string, MonthlyUse> {
  return {
    '`createPet`': createUse(million, settings),
    '`getPet`': useOf('getPet', million, settings, { readUnits: 1 }),
    '`listPets` of 20': listUse(million, settings, { limit: 20 }),
    '`listPets` of 100': listUse(million, settings, { limit: 100 }),
  };
}

/** What a million requests of each kind cost, at the prices of the first tiers. */
export function millionTable(settings: StageSettings): string {
  const uses = Object.entries(millionUses(settings));
  const row = (title: string, only?: readonly Part[]) => [
    title,
    ...uses.map(([, use]) => cents(monthlyCost(use, only))),
  ];
  const ours = `${ownParts.join(', ')}`;
  return markdownTable(
    ['A million requests', ...uses.map(([title]) => title)],
    [...parts.map((part) => row(part, [part])), row('**Sum**'), row(ours, ownParts)],
  );
}

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
export const dollars = (amount: number) => `$${whole.format(amount)}`;
export const cents = (amount: number) => `$${amount.toFixed(2)}`;

/** What creates cost in a month, and how the first row adds up. */
export function costTables(rates: readonly number[], deployments: readonly Deployment[]): string[] {
  const uses = deployments.map(({ settings }, index) =>
    createUse((rates[index] ?? 0) * secondsPerMonth, settings),
  );
  const rows = uses.map((use, index) => [
    whole.format(rates[index] ?? 0),
    ...parts.map((part) => dollars(monthlyCost(use, [part]))),
    dollars(monthlyCost(use)),
    cents((monthlyCost(use) / use.requests) * million),
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

/** Each pet is stored in the table and in the index. */
function storedGb(pets: number): number {
  return (pets * 2 * (petBytes + storageOverheadBytes)) / 2 ** 30;
}
