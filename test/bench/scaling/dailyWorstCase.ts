import { throttleOf } from '../../../infra/apiMethods.ts';
import type { Stage } from '../../../infra/stages.ts';
import { stackName } from '../../../infra/stages.ts';
import { apiKeysTable, idempotencyTable, petsTable } from '../../../lib/dynamodb/tables.ts';
import { errorStatuses } from '../../../lib/errors.ts';
import { metricDimensions } from '../../../lib/metricDimensions.ts';
import { operationEntries } from '../../../lib/operations.ts';
import { alarmMetrics } from '../../helpers/templateMetrics.ts';
import { defaultApp, propertiesOf, templateOf } from '../../helpers/templates.ts';
import { markdownTable } from '../report.ts';
import { defaultQuotas } from './ceilings.ts';
import { accessLogBytes, functionLogBytes, headerBytes, lambdaLogBytes } from './costs.ts';
import { type Priced, priceOf } from './prices.ts';

/** Assumed: the requests a second of an attack that the throttle or the firewall refuses. */
const refusedPerSecond = 10_000;

const secondsPerDay = 86_400;
const daysPerMonth = 30;

/** The longest that a function may run, in `ServiceFunction`. */
const functionTimeoutSeconds = 10;

/** 100 pets whose names are 255 control characters: six bytes of JSON each, and the other fields. */
const largestPageBytes = 100 * (255 * 6 + 110);

/** The largest pet: a name of 255 characters of four bytes, the other attributes, and DynamoDB's own 100. */
const largestItemBytes = 255 * 4 + 120 + 100;

/** Assumed for a month. Each has its own metrics. */
const dimensionValues: Record<string, number> = {
  service: 1,
  stage: 1,
  operation: operationEntries.length + 1,
  code: Object.keys(errorStatuses).length,
  version: 10,
  apiKeyId: 100,
};

type BillLine = { service: string; what: string; priced: Priced; quantity: number };

/** The most that a day of a stage can cost, line by line: every setting at its limit, under attack. */
export function worstDay(stage: Stage): BillLine[] {
  const { throttle, tableCeiling, memoryMb, firewall } = stage;
  const perDay = (perSecond: number) => perSecond * secondsPerDay;
  const accepted = perDay(throttle.requestsPerSecond);
  const refused = perDay(refusedPerSecond);
  const tables = [petsTable, apiKeysTable, idempotencyTable];
  const tablesAndIndexes = tables.reduce(
    (n, { indexes }) => n + 1 + Object.keys(indexes).length,
    0,
  );
  const running = Math.min(
    throttle.requestsPerSecond * functionTimeoutSeconds,
    defaultQuotas.lambdaConcurrency,
  );
  const functionLogs = accepted * (Math.max(...Object.values(functionLogBytes)) + lambdaLogBytes);
  const accessLogs = (accepted + refused) * accessLogBytes;
  const pages = perDay(throttleOf('listPets', stage).requestsPerSecond) * largestPageBytes;
  const headers = (accepted + refused) * headerBytes;
  const pets = perDay(throttleOf('createPet', stage).requestsPerSecond);
  return [
    line('API Gateway', 'requests', 'gatewayRequest', accepted),
    ...(firewall
      ? [line('Firewall', 'requests, refused ones too', 'firewallRequest', accepted + refused)]
      : []),
    line('Lambda', 'requests', 'lambdaRequest', accepted),
    line(
      'Lambda',
      `GB-seconds: requests of ${functionTimeoutSeconds} s, in up to ${defaultQuotas.lambdaConcurrency} instances, init included`,
      'lambdaGbSecond',
      (perDay(running) * memoryMb) / 1_024,
    ),
    line(
      'DynamoDB',
      `write units: ${tablesAndIndexes} tables and indexes at the ceiling`,
      'writeUnit',
      perDay(tablesAndIndexes * tableCeiling.writeUnits),
    ),
    line(
      'DynamoDB',
      'read units: the same',
      'readUnit',
      perDay(tablesAndIndexes * tableCeiling.readUnits),
    ),
    line(
      'DynamoDB',
      'GB of the largest pets, stored for a month in table and index',
      'storedGbMonth',
      (pets * 2 * largestItemBytes) / 2 ** 30,
    ),
    line('Logs', 'GB, refused requests too', 'logGb', (functionLogs + accessLogs) / 1e9),
    line('X-Ray', 'traces: a client can ask for them in a header', 'tracedRequest', accepted),
    line(
      'Data out',
      'GB: pages of the largest pets, and headers',
      'transferredGb',
      (pages + headers) / 1e9,
    ),
    ...fixedLines(stage).map((each) => ({
      ...each,
      what: `${each.what}, a day of 30`,
      quantity: each.quantity / daysPerMonth,
    })),
  ];
}

/** What a stage is billed for by the month. */
function fixedLines(stage: Stage): BillLine[] {
  const template = templateOf(defaultApp, stackName(stage.name));
  const alarms = propertiesOf(template, 'AWS::CloudWatch::Alarm').flatMap(alarmMetrics).length;
  const dashboards = propertiesOf(template, 'AWS::CloudWatch::Dashboard').length;
  const [webAcl] = propertiesOf(template, 'AWS::WAFv2::WebACL');
  const rules = ((webAcl?.Rules ?? []) as unknown[]).length;
  return [
    line('Alarms', 'metrics that alarms read', 'alarmMetricMonth', alarms),
    line('Dashboards', 'dashboards', 'dashboardMonth', dashboards),
    line('Metrics', 'metrics of our own, at most', 'metricMonth', customMetrics()),
    ...(webAcl
      ? [
          line('Firewall', 'web ACLs', 'webAclMonth', 1),
          line('Firewall', 'rules', 'firewallRuleMonth', rules),
        ]
      : []),
  ];
}

/** CloudWatch bills each combination of dimension values as a metric. */
function customMetrics(): number {
  return Object.values(metricDimensions)
    .map((dimensions) =>
      dimensions.reduce((product, dimension) => product * (dimensionValues[dimension] ?? 1), 1),
    )
    .reduce((sum, each) => sum + each);
}

function line(service: string, what: string, priced: Priced, quantity: number): BillLine {
  return { service, what, priced, quantity };
}

const quantityFormat = new Intl.NumberFormat('en', { maximumSignificantDigits: 4 });
const dollarFormat = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const dollars = (amount: number) => `$${dollarFormat.format(amount)}`;

/** The worst day of every stage as a table. */
export function worstDayTable(stages: readonly Stage[]): string {
  const days = stages.map(worstDay);
  const names = new Set(days.flat().map(nameOf));
  const rows = [...names].map((name) => [
    name,
    ...days.flatMap((day) => {
      const found = day.find((each) => nameOf(each) === name);
      if (!found) return ['0', '$0'];
      return [quantityFormat.format(found.quantity), dollars(price(found))];
    }),
  ]);
  const sums = days.flatMap((day) => ['', dollars(sum(day))]);
  return markdownTable(
    ['Billed a day', ...stages.flatMap(({ name }) => [name, 'Price'])],
    [...rows, ['Sum', ...sums]],
  );
}

/** What a month without requests costs, for each stage: `v1-production $14`. Idle metrics are free. */
export function idleMonths(stages: readonly Stage[]): string {
  return stages
    .map((stage) => {
      const lines = fixedLines(stage).filter(({ priced }) => priced !== 'metricMonth');
      return `${stage.name} ${dollars(sum(lines))}`;
    })
    .join(', ');
}

function nameOf({ service, what }: BillLine): string {
  return `${service}: ${what}`;
}

function price({ priced, quantity }: BillLine): number {
  return priceOf(priced, quantity);
}

function sum(lines: readonly BillLine[]): number {
  return lines.reduce((total, each) => total + price(each), 0);
}
