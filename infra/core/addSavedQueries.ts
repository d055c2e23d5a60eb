import { Stack } from 'aws-cdk-lib';
import {
  type ILogGroup,
  QueryDefinition,
  QueryString,
  type QueryStringProps,
} from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';

type SavedQuery = QueryStringProps & { logs: readonly ('access' | 'functions')[] };

/** The time of the first line of a group. `min` returns milliseconds. */
const firstTime = 'fromMillis(min(@timestamp)) as firstTime';

/**
 * The queries of docs/runbook.md, by their names in the console. Operators replace an example, such as `key_0123456789ab`.
 *
 * The texts are ASCII, because `cdk import` garbles other characters. A number in the access log is a text.
 */
const savedQueries = {
  'Failed requests': {
    logs: ['access'],
    filterStatements: ['status like /^5/'],
    statsStatements: [
      `count(*) as requests, ${firstTime} by status, gatewayResponse, method, resourcePath`,
    ],
    sort: 'requests desc',
  },
  'Causes of failures': {
    logs: ['functions'],
    filterStatements: ["code = 'request_failed'"],
    statsStatements: [
      `count(*) as requests, ${firstTime} by operation, functionVersion, status, errorCode, cause.name, cause.message`,
    ],
    sort: 'requests desc',
  },
  'Crashes and time-outs': {
    logs: ['functions'],
    fields: ['@timestamp', '@log', '@message'],
    filterStatements: [
      "record.status in ['timeout', 'error', 'failure'] or @message like /Task timed out|errorType|environment is incomplete/",
    ],
    sort: '@timestamp desc',
    limit: 20,
  },
  'Failures of the database': {
    logs: ['functions'],
    filterStatements: ['status = 503'],
    statsStatements: ['count(*) as requests by bin(5m), operation, functionVersion, cause.name'],
  },
  'Latency of operations': {
    logs: ['functions'],
    filterStatements: ['ispresent(durationMs)'],
    statsStatements: [
      'pct(durationMs, 50), pct(durationMs, 99), count(*) as requests by operation, functionVersion, coldStart',
    ],
  },
  'Slowest requests': {
    logs: ['access'],
    fields: [
      '@timestamp',
      'latencyMs',
      'integrationLatencyMs',
      'status',
      'method',
      'resourcePath',
      'requestId',
    ],
    sort: 'latencyMs desc',
    limit: 50,
  },
  'Refused requests': {
    logs: ['access'],
    filterStatements: ["status = '429'"],
    statsStatements: ['count(*) as requests by gatewayResponse, sourceIp, method, resourcePath'],
    sort: 'requests desc',
    limit: 50,
  },
  'Busiest addresses': {
    logs: ['access'],
    statsStatements: ['count(*) as requests by sourceIp, status, gatewayResponse'],
    sort: 'requests desc',
    limit: 100,
  },
  'Busiest API keys': {
    logs: ['functions'],
    filterStatements: ['ispresent(apiKeyId)'],
    statsStatements: ['count(*) as requests by apiKeyId, bin(1m)'],
    sort: 'requests desc',
    limit: 20,
  },
  'One API key': {
    logs: ['functions'],
    fields: ['@timestamp', 'operation', 'status', 'errorCode', 'petId', 'requestId'],
    filterStatements: ["apiKeyId = 'key_0123456789ab'"],
    sort: '@timestamp desc',
    limit: 1000,
  },
  'One address': {
    logs: ['access'],
    filterStatements: ["sourceIp = '198.51.100.7'"],
    statsStatements: [
      `count(*) as requests, ${firstTime} by method, resourcePath, status, gatewayResponse`,
    ],
    sort: 'requests desc',
  },
  /** Of both logs: if only the access log has the request, no function got it. */
  'One request': {
    logs: ['access', 'functions'],
    fields: [
      '@timestamp',
      'status',
      'gatewayResponse',
      'method',
      'resourcePath',
      'latencyMs',
      'operation',
      'errorCode',
      'release',
      'apiKeyId',
      'petId',
      'cause.message',
    ],
    filterStatements: ["requestId = '01234567-89ab-cdef-0123-456789abcdef'"],
  },
  'One pet': {
    logs: ['functions'],
    fields: ['@timestamp', 'operation', 'status', 'errorCode', 'apiKeyId', 'requestId'],
    filterStatements: ["petId = '17'"],
  },
  'Damaged data': {
    logs: ['functions'],
    filterStatements: ["code in ['item_damaged', 'id_taken', 'api_key_damaged']"],
    statsStatements: [
      `count(*) as lines, ${firstTime} by code, table, pk, id, apiKeyId, cause.message`,
    ],
    limit: 1000,
  },
  /** `sort` compares texts of digits as numbers, and `max` compares their letters. */
  'Highest pet id': {
    logs: ['functions'],
    fields: ['@timestamp', 'petId'],
    filterStatements: ['ispresent(petId)'],
    sort: 'petId desc',
    limit: 1,
  },
} as const satisfies Record<string, SavedQuery>;

export type QueryName = keyof typeof savedQueries;

/** Saves each query of the runbook in CloudWatch Logs Insights. */
export function addSavedQueries(stack: Stack, logs: Record<'access' | 'functions', ILogGroup[]>) {
  const scope = new Construct(stack, 'Queries');
  for (const [name, { logs: names, ...query }] of Object.entries<SavedQuery>(savedQueries)) {
    addSavedQuery(
      scope,
      name,
      query,
      names.flatMap((each) => logs[each]),
    );
  }
}

/** Saves a query in a folder with the name of the stack: `PetStore-v1-production/Failed requests`. */
export function addSavedQuery(
  scope: Construct,
  name: string,
  query: QueryStringProps,
  logGroups: ILogGroup[],
): void {
  new QueryDefinition(scope, name, {
    queryDefinitionName: `${Stack.of(scope).stackName}/${name}`,
    queryString: new QueryString(query),
    logGroups,
  });
}
