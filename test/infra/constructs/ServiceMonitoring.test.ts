import { describe, expect, it } from 'vitest';
import { tableConstruct } from '../../../infra/stackNames.ts';
import { metricDimensions, metricNamespace } from '../../../lib/metrics.ts';
import { operationEntries, serviceName } from '../../../lib/operations.ts';
import { type TableName, tables } from '../../../lib/tables.ts';
import { alarmsOf, goesOff, graphQueries } from '../../helpers/alarms.ts';
import type { MetricQuery } from '../../helpers/metricMath.ts';
import { functionNames, propertiesOf, production as template } from '../../helpers/templates.ts';

const alarms = alarmsOf(template);
const [errorBudget = {}] = propertiesOf(template, 'AWS::CloudWatch::CompositeAlarm');
const names = operationEntries.map(([name]) => name);

const alarmOf = (name: string) =>
  alarms.find((each) => each.name === `PetStore-v1-production-${name}`) ?? expect.fail(name);
const metricsOf = (queries: MetricQuery[]) => queries.flatMap(({ metric = [] }) => metric);
const dimensionsOf = (queries: MetricQuery[]) =>
  metricsOf(queries).map(({ dimensions }) => dimensions);

describe('the alarms', () => {
  it('evaluate the period before too, if late data first count as 0', () => {
    const filling = alarms.filter(({ queries }) => /^FILL/.test(queries[0]?.expression ?? ''));

    expect(filling).not.toEqual([]);
    for (const { name, properties } of filling) {
      const { EvaluationPeriods, DatapointsToAlarm } = properties;
      expect([name, EvaluationPeriods, DatapointsToAlarm]).toEqual([name, 2, 1]);
    }
  });

  it('see 5xx responses as a rate of valid requests, with a minimum', () => {
    const long = (errors: number, requests: number, clientErrors = 0) =>
      goesOff(alarmOf('Api-FastBurnLong'), { errors, requests, clientErrors });

    // 1.44 % of the valid requests.
    expect(long(15, 1000)).toBe(true);
    expect(long(14, 1000)).toBe(false);
    expect(long(15, 11_000, 10_000)).toBe(true);
    expect(long(4, 4)).toBe(false);
  });

  it.each(names)(
    'see %s, and no other operation, if 5 of its requests and a twentieth of them fail',
    (name) => {
      const alarm = alarmOf(`${name}-Failures`);
      const { DatapointsToAlarm, EvaluationPeriods } = alarm.properties;
      const subjects = dimensionsOf(alarm.queries).map(
        ({ FunctionName, operation }) => FunctionName ?? operation,
      );

      expect(subjects.sort()).toEqual([`<${name}Function>`, `<${name}Function>`, name]);
      expect([DatapointsToAlarm, EvaluationPeriods]).toEqual([2, 3]);
      expect(goesOff(alarm, { crashes: 5, requests: 100 })).toBe(true);
      expect(goesOff(alarm, { errors: 5, requests: 100 })).toBe(true);
      expect(goesOff(alarm, { crashes: 2, errors: 3, requests: 100 })).toBe(true);
      expect(goesOff(alarm, { errors: 4, requests: 4 })).toBe(false);
      expect(goesOff(alarm, { errors: 49, requests: 1000 })).toBe(false);
      expect(goesOff(alarm, { requests: 1000 })).toBe(false);
    },
  );

  it('see refused requests, which reach no function, and no other 4xx', () => {
    const refuses = (metrics: Record<string, number>) => goesOff(alarmOf('Api-Refusals'), metrics);

    // Throttled or blocked.
    expect(refuses({ requests: 1000, clientErrors: 50 })).toBe(true);
    expect(refuses({ requests: 1000, clientErrors: 49 })).toBe(false);
    // Refused by a function: without a key, for example.
    expect(refuses({ requests: 1000, clientErrors: 100, ofFunctions: 100 })).toBe(false);
    // The log of the functions arrives before the metric of the gateway.
    expect(refuses({ requests: 1000, clientErrors: 90, ofFunctions: 100 })).toBe(false);
    expect(refuses({ requests: 99, clientErrors: 99 })).toBe(false);
  });

  it('see a heartbeat that fails, or does not run', () => {
    expect(goesOff(alarmOf('Service-Heartbeat'), { runs: 1, failures: 0 })).toBe(false);
    expect(goesOff(alarmOf('Service-Heartbeat'), { runs: 1, failures: 1 })).toBe(true);
    expect(goesOff(alarmOf('Service-Heartbeat'), {})).toBe(true);
  });

  it('send one mail for the error budget: if both windows of a rate are in alarm', () => {
    const windows = errorBudget.AlarmRule.replaceAll(
      /<\w+?(Fast|Slow)Burn(Long|Short)\.Arn>/g,
      '$1$2',
    );

    expect(windows).toBe(
      '((ALARM("FastLong") AND ALARM("FastShort")) OR (ALARM("SlowLong") AND ALARM("SlowShort")))',
    );
  });

  it('watch each table that lists query, with its index, and no table that cannot be throttled', () => {
    const watched = (metricName: string) =>
      alarms
        .flatMap(({ queries }) => metricsOf(queries))
        .flatMap(({ name, dimensions }) => (name === metricName ? [dimensions] : []))
        .map((dimensions) => Object.values(dimensions).join(' '))
        .sort();
    const queried = operationEntries
      .flatMap(([, { access }]) => [...access])
      .flatMap((each) => (each.action === 'Query' ? [each] : []))
      .flatMap(({ table, index }) => [
        `<${tableConstruct(table)}>`,
        `${index} <${tableConstruct(table)}>`,
      ]);
    const tablesAndIndexes = [...new Set(queried)].sort();

    expect(tablesAndIndexes).not.toEqual([]);
    for (const kind of ['Read', 'Write']) {
      expect(watched(`${kind}MaxOnDemandThroughputThrottleEvents`)).toEqual(tablesAndIndexes);
      expect(watched(`${kind}KeyRangeThroughputThrottleEvents`)).toEqual(tablesAndIndexes);
    }
  });

  it('see each request that deletes items of a table that can be restored, and that no operation deletes', () => {
    const deleted = operationEntries.flatMap(([, { access }]) =>
      access.flatMap(({ table, action }) => (action === 'DeleteItem' ? [table] : [])),
    );
    const kept = (Object.keys(tables) as TableName[]).filter(
      (name) => tables[name].restorableOn !== 'noStage' && !deleted.includes(name),
    );
    const watching = alarms.filter(({ name }) => name.endsWith('-Deletes'));

    expect(kept).not.toEqual([]);
    expect(watching.flatMap(({ queries }) => dimensionsOf(queries))).toEqual(
      kept.flatMap((name) =>
        ['DeleteItem', 'BatchWriteItem'].map((Operation) => ({
          Operation,
          TableName: `<${tableConstruct(name)}>`,
        })),
      ),
    );
    for (const alarm of watching) {
      const statistics = JSON.stringify(alarm.properties.Metrics).match(/(?<="Stat":")\w+/g);
      // The other statistics of a latency are milliseconds.
      expect(statistics).toEqual(['SampleCount', 'SampleCount']);
      expect(goesOff(alarm, { m0: 1 })).toBe(true);
      expect(goesOff(alarm, { m1: 1 })).toBe(true);
      expect(goesOff(alarm, {})).toBe(false);
    }
  });

  it('notify the operators, except for those that CodeDeploy or another alarm watches', () => {
    const isWatched = /(Fast|Slow)Burn(Long|Short)$|-NewVersionFails-/;
    const mailing = alarms.filter(({ name }) => !isWatched.test(name));

    expect(mailing).toHaveLength(alarms.length - 4 - names.length);
    for (const each of [errorBudget, ...mailing.map(({ properties }) => properties)]) {
      const actions = [each.AlarmActions, each.OKActions].flat();
      expect(actions).toEqual(['<AlarmTopic>', '<AlarmTopic>']);
    }
    for (const { properties } of alarms.filter(({ name }) => isWatched.test(name))) {
      expect(properties).not.toHaveProperty('AlarmActions');
    }
  });
});

const tableMetrics =
  'ReadMaxOnDemandThroughputThrottleEvents WriteMaxOnDemandThroughputThrottleEvents ReadKeyRangeThroughputThrottleEvents WriteKeyRangeThroughputThrottleEvents ConsumedReadCapacityUnits ConsumedWriteCapacityUnits';

/** The metrics by namespace and dimensions. CloudWatch has no data under any other set of dimensions. */
const metricNames: Record<string, string> = {
  'AWS/ApiGateway ApiName,Stage': 'Count 4XXError 5XXError Latency IntegrationLatency',
  'AWS/Lambda FunctionName': 'Invocations Errors Throttles Duration ConcurrentExecutions',
  'AWS/Lambda ExecutedVersion,FunctionName,Resource': 'Invocations Errors',
  // Of the account and Region.
  'AWS/Lambda ': 'ClaimedAccountConcurrency ConcurrentExecutions Throttles',
  'AWS/WAFV2 Region,Rule,WebACL': 'AllowedRequests BlockedRequests',
  'AWS/DynamoDB TableName': tableMetrics,
  'AWS/DynamoDB GlobalSecondaryIndexName,TableName': tableMetrics,
  'AWS/DynamoDB Operation,TableName': 'SuccessfulRequestLatency',
};
for (const [name, dimensions] of Object.entries(metricDimensions)) {
  const key = `${metricNamespace} ${dimensions.toSorted()}`;
  metricNames[key] = `${metricNames[key] ?? ''} ${name}`;
}

/** What the stack names, where a dimension is not a reference. */
const knownNames = [
  ...[serviceName, 'ALL', ...functionNames],
  // Of DynamoDB.
  ...['DeleteItem', 'BatchWriteItem'],
  ...propertiesOf(template, 'AWS::ApiGateway::Stage').map(({ StageName }) => StageName),
  ...propertiesOf(template, 'AWS::ApiGateway::RestApi').map(({ Name }) => Name),
  ...propertiesOf(template, 'AWS::WAFv2::WebACL').map(
    ({ VisibilityConfig }) => VisibilityConfig.MetricName,
  ),
  ...propertiesOf(template, 'AWS::DynamoDB::Table').flatMap(({ GlobalSecondaryIndexes = [] }) =>
    GlobalSecondaryIndexes.map(({ IndexName }: { IndexName: string }) => IndexName),
  ),
];

it.each([
  ['alarms', alarms.map(({ queries }) => queries), 30],
  ['graphs', graphQueries(template), 40],
])('the %s use metrics that exist, of resources of this stack', (_, queries, atLeast) => {
  const metrics = queries.flatMap(metricsOf);

  expect(metrics.length).toBeGreaterThan(atLeast);
  for (const { namespace, name, dimensions } of metrics) {
    const key = `${namespace} ${Object.keys(dimensions).sort()}`;
    expect(metricNames[key]?.split(' '), key).toContain(name);
    // A reference names a resource of the stack: CloudFormation refuses others.
    const values = Object.values(dimensions).filter((value) => !/^<[\w.:]+>(:live)?$/.test(value));
    expect(knownNames).toEqual(expect.arrayContaining(values));
  }
});
