import { throttleOf } from '../../../infra/apiMethods.ts';
import type { Stage } from '../../../infra/stages.ts';
import { apiKeysTable, idempotencyTable, petsTable } from '../../../lib/dynamodb/tables.ts';
import { errorStatuses } from '../../../lib/errors.ts';
import { metricDimensions } from '../../../lib/metricDimensions.ts';
import { operationEntries } from '../../../lib/operations.ts';
import { limits } from '../../../lib/schemas.ts';
import { defaultQuotas } from '../scaling/ceilings.ts';
import { failureLogBytes, headerBytes, refusedPerSecond } from './assumptions.ts';
import { type BillLine, billLine, billTable, quantityFormat } from './bill.ts';
import { dollars, storageOverheadBytes } from './costs.ts';
import { fixedLines } from './idleMonth.ts';
import { accessLogBytes, requestBytes } from './requestBytes.ts';

const secondsPerDay = 86_400;
const daysPerMonth = 30;

/** The longest that a function may run, in `ServiceFunction`. */
const functionTimeoutSeconds = 10;

/** The longest names are control characters, six bytes of JSON each. Then come the other fields. */
const largestPageBytes = limits.pageSize.max * (limits.name.maxCodePoints * 6 + 110);

/** The longest name has characters of four bytes. The other attributes have 120 bytes. */
const largestItemBytes = limits.name.maxCodePoints * 4 + 120 + storageOverheadBytes;

/** Assumed for a month. Each has its own metrics. */
const dimensionValues: Record<string, number> = {
  service: 1,
  stage: 1,
  operation: operationEntries.length + 1,
  errorCode: Object.keys(errorStatuses).length,
  functionVersion: 10,
};

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
  const longestLine = Math.max(
    ...Object.values(requestBytes).map(({ functionLog }) => functionLog),
  );
  const functionLogs = accepted * (longestLine + failureLogBytes);
  const accessLogs = (accepted + refused) * accessLogBytes;
  const pages = perDay(throttleOf('listPets', stage).requestsPerSecond) * largestPageBytes;
  const headers = (accepted + refused) * headerBytes;
  const pets = perDay(throttleOf('createPet', stage).requestsPerSecond);
  return [
    billLine('API Gateway', 'requests', 'gatewayRequest', accepted),
    ...(firewall
      ? [billLine('Firewall', 'requests, refused ones too', 'firewallRequest', accepted + refused)]
      : []),
    billLine('Lambda', 'requests', 'lambdaRequest', accepted),
    billLine(
      'Lambda',
      `GB-seconds: requests of ${functionTimeoutSeconds} s, in up to ${quantityFormat.format(defaultQuotas.lambdaConcurrency)} instances, init included`,
      'lambdaGbSecond',
      (perDay(running) * memoryMb) / 1_024,
    ),
    billLine(
      'DynamoDB',
      `write units: ${tablesAndIndexes} tables and indexes at the ceiling`,
      'writeUnit',
      perDay(tablesAndIndexes * tableCeiling.writeUnits),
    ),
    billLine(
      'DynamoDB',
      'read units: the same',
      'readUnit',
      perDay(tablesAndIndexes * tableCeiling.readUnits),
    ),
    billLine(
      'DynamoDB',
      'GB of the largest pets, stored for a month in table and index',
      'storedGbMonth',
      (pets * 2 * largestItemBytes) / 2 ** 30,
    ),
    billLine('Logs', 'GB of functions', 'logGb', functionLogs / 1e9),
    billLine(
      'Logs',
      'GB of the access log, refused requests too',
      'infrequentLogGb',
      accessLogs / 1e9,
    ),
    billLine('X-Ray', 'traces: a client can ask for them in a header', 'tracedRequest', accepted),
    billLine(
      'Data out',
      'GB: pages of the largest pets, and headers',
      'transferredGb',
      (pages + headers) / 1e9,
    ),
    ...[...fixedLines(stage), ownMetrics].map((each) => ({
      ...each,
      what: `${each.what}, a day of 30`,
      quantity: each.quantity / daysPerMonth,
    })),
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

const ownMetrics = billLine(
  'Metrics',
  'metrics of our own, at most',
  'metricMonth',
  customMetrics(),
);

/** The worst day of every stage as a table. */
export function worstDayTable(stages: readonly Stage[]): string {
  const bills = stages.map((stage) => ({ stage: stage.name, lines: worstDay(stage) }));
  return billTable('Billed a day', bills, dollars);
}
