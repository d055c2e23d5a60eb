import { markdownTable, whole } from '../report.ts';
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
import { type BillLine, billLine, priceOfLine, sumOf } from './bill.ts';
import { priceOf, priceSource, priceTerms } from './prices.ts';
import { accessLogBytes, type RequestName, requestBytes } from './requestBytes.ts';
import { timesOf } from './requestTimes.ts';

/** The bytes that DynamoDB adds to each stored item in the bill for storage. */
export const storageOverheadBytes = 100;

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

type LambdaUse = Pick<MonthlyUse, 'requests' | 'durationMs' | 'initMs' | 'memoryMb'>;

export function gbSecondsOf({ requests, durationMs, initMs, memoryMb }: LambdaUse): number {
  const billedMs = Math.ceil(durationMs) + initShare * initMs;
  return (requests * billedMs * memoryMb) / 1_024 / 1_000;
}

/** The bill for the requests of a month, without storage. */
function monthlyLines(use: MonthlyUse): BillLine[] {
  const { requests, durationMs, memoryMb, writeUnits, readUnits } = use;
  const gbSeconds = `GB-seconds of ${Math.ceil(durationMs)} ms, and in 1 % of the requests ${use.initMs} ms of init, at ${memoryMb / 1_024} GB`;
  const gb = (bytes: number) => (requests * bytes) / 1e9;
  return [
    billLine('API Gateway', 'requests', 'gatewayRequest', requests),
    billLine('Firewall', 'requests', 'firewallRequest', use.hasFirewall ? requests : 0),
    billLine('DynamoDB', 'write units', 'writeUnit', writeUnits),
    billLine('DynamoDB', 'read units', 'readUnit', readUnits),
    billLine('Data out', 'GB', 'transferredGb', gb(use.responseBytes)),
    billLine('Lambda', 'requests', 'lambdaRequest', requests),
    billLine('Lambda', gbSeconds, 'lambdaGbSecond', gbSecondsOf(use)),
    billLine('Logs', 'GB of the function', 'logGb', gb(use.functionLogBytes)),
    billLine('Logs', 'GB of the access log', 'infrequentLogGb', gb(use.accessLogBytes)),
    billLine('X-Ray', 'traced requests', 'tracedRequest', requests * use.tracedShare),
    billLine('Metrics', 'metrics of our own', 'metricMonth', use.metrics),
  ];
}

/** The price of a month of this use: all parts of the bill, or some of them. */
export function monthlyCost(use: MonthlyUse, only: readonly string[] = parts): number {
  return sumOf(monthlyLines(use).filter(({ service }) => only.includes(service)));
}

/** The price of the parts that the service itself decides. */
export function ownCost(use: MonthlyUse): number {
  return monthlyCost(use, ownParts);
}

/** The use of a month with this many requests of a kind. */
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

/** The price of a million requests of each kind, at the prices of the first tiers. */
export function millionTable(settings: StageSettings): string {
  const uses = Object.entries(millionUses(settings));
  const row = (title: string, only?: readonly Part[]) => [
    title,
    ...uses.map(([, use]) => cents(monthlyCost(use, only))),
  ];
  return markdownTable(
    ['A million requests', ...uses.map(([title]) => title)],
    [...parts.map((part) => row(part, [part])), row('**Sum**'), row(ownParts.join(', '), ownParts)],
  );
}

export const dollars = (amount: number) => `$${whole.format(amount)}`;
export const cents = (amount: number) => `$${amount.toFixed(2)}`;

/** The price of creates in a month, and the sum of the first row, line by line. */
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
    ...monthlyLines(firstUse).filter(({ quantity }) => quantity > 0),
    billLine('Stored', 'GB', 'storedGbMonth', storedGb(firstUse.requests)),
  ].map((line) => {
    const { service, what, priced, quantity } = line;
    return `- ${service}, ${what}: ${priceTerms(priced, quantity)} = ${cents(priceOfLine(line))}`;
  });
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
