import { markdownTable } from '../markdownTable.ts';
import { logBytesPerRequest, petBytes, requestMs, storageOverheadBytes } from './awsLimits.ts';
import type { Deployment } from './ceilings.ts';
import {
  type MonthlyCost,
  monthlyCost,
  type Priced,
  priceOf,
  priceTerms,
  secondsPerMonth,
  tracedShare,
} from './monthlyCost.ts';

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
