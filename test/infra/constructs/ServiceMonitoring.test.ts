import { describe, expect, it } from 'vitest';
import { tableConstruct } from '../../../infra/stackNames.ts';
import { metricDimensions, metricNamespace } from '../../../lib/metrics.ts';
import { operationEntries, serviceName } from '../../../lib/operations.ts';
import { type TableName, tables } from '../../../lib/tables.ts';
import { evaluateMetricMath } from '../../helpers/evaluateMetricMath.ts';
import {
  functionNames,
  type Properties,
  propertiesOf,
  resourcesOf,
  shortId,
  production as template,
  textOf,
} from '../../helpers/templates.ts';

const prefix = 'PetStore-v1-production-';
const alarms = propertiesOf(template, 'AWS::CloudWatch::Alarm');
const [errorBudget = {}] = propertiesOf(template, 'AWS::CloudWatch::CompositeAlarm');
const [dashboard = {}] = propertiesOf(template, 'AWS::CloudWatch::Dashboard');

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
  ...Object.fromEntries(
    [
      ...Map.groupBy(
        Object.entries(metricDimensions),
        ([, dimensions]) => `${metricNamespace} ${dimensions.toSorted()}`,
      ),
    ].map(([dimensions, metrics]) => [dimensions, metrics.map(([name]) => name).join(' ')]),
  ),
};

/** What the stack names, where a dimension is not a reference. */
const knownNames = [
  ...[serviceName, 'ALL', ...functionNames],
  // Of DynamoDB.
  ...['DeleteItem', 'BatchWriteItem'],
  ...propertiesOf(template, 'AWS::ApiGateway::Stage').map(({ StageName }) => StageName),
  ...propertiesOf(template, 'AWS::ApiGateway::RestApi').map(({ Name }) => Name),
  ...propertiesOf(template, 'AWS::WAFv2::WebACL').map(
    ({ VisibilityConfig }) => (VisibilityConfig as Properties).MetricName,
  ),
  ...propertiesOf(template, 'AWS::DynamoDB::Table').flatMap(({ GlobalSecondaryIndexes = [] }) =>
    (GlobalSecondaryIndexes as Properties[]).map(({ IndexName }) => IndexName),
  ),
];

const alarmMetrics = alarms.flatMap(metricsOf);

const expressionsOf = (alarm: Properties) =>
  ((alarm.Metrics ?? []) as { Expression?: string }[]).flatMap(({ Expression = [] }) => Expression);
const alarmOf = (name: string) =>
  alarms.find(({ AlarmName }) => AlarmName === `${prefix}${name}`) ?? expect.fail(`No ${name}.`);
const expressionsOfAlarm = (name: string) => expressionsOf(alarmOf(name));
/** Whether an alarm of one expression is above its threshold, given the sums of a period. */
const goesOff = (name: string, sums: Record<string, number>) => {
  const value = evaluateMetricMath(expressionsOfAlarm(name)[0] ?? '', sums);
  return value !== undefined && value >= Number(alarmOf(name).Threshold);
};

describe('the alarms', () => {
  it('use metrics that exist, of resources of this stack', () => {
    expect(alarmMetrics.length).toBeGreaterThan(30);
    expect(alarmMetrics.flatMap(problemsOf)).toEqual([]);
  });

  it('evaluate the period before too, if late data first count as 0', () => {
    const filling = alarms.filter((alarm) => /^FILL/.test(expressionsOf(alarm)[0] ?? ''));

    expect(filling).not.toEqual([]);
    for (const { AlarmName, EvaluationPeriods, DatapointsToAlarm } of filling) {
      expect([AlarmName, EvaluationPeriods, DatapointsToAlarm]).toEqual([AlarmName, 2, 1]);
    }
  });

  it('see 5xx responses as a rate of valid requests, with a minimum', () => {
    const [expression = ''] = expressionsOfAlarm('Api-FastBurnLong');

    expect(
      evaluateMetricMath(expression, { errors: 5, requests: 10_100, clientErrors: 10_000 }),
    ).toBe(50);
    expect(evaluateMetricMath(expression, { errors: 4, requests: 4, clientErrors: 0 })).toBe(0);
  });

  it('see an operation that always fails with 0.5 % of the traffic, which the error budget bears', () => {
    // Within five minutes.
    const requests = 3000;
    const failed = 0.005 * requests;
    for (const name of ['Api-FastBurnShort', 'Api-SlowBurnShort']) {
      expect(goesOff(name, { errors: failed, requests, clientErrors: 0 })).toBe(false);
    }
    for (const [name] of operationEntries) {
      expect(goesOff(`${name}-Failures`, { crashes: failed, requests: failed })).toBe(true);
      expect(goesOff(`${name}-Failures`, { crashes: 0, errors: failed, requests: failed })).toBe(
        true,
      );
    }
  });

  it.each(operationEntries.map(([name]) => name))(
    'see %s, and no other operation, if 5 of its requests and a twentieth of them fail',
    (name) => {
      const alarm = alarmOf(`${name}-Failures`);
      const subjects = metricsOf(alarm).map(
        ({ dimensions: { FunctionName, operation } }) => FunctionName ?? operation,
      );

      expect(subjects.sort()).toEqual([`<${name}Function>`, `<${name}Function>`, name]);
      expect([alarm.DatapointsToAlarm, alarm.EvaluationPeriods]).toEqual([2, 3]);
      expect(goesOff(`${name}-Failures`, { crashes: 2, errors: 3, requests: 100 })).toBe(true);
      expect(goesOff(`${name}-Failures`, { crashes: 0, errors: 4, requests: 4 })).toBe(false);
      expect(goesOff(`${name}-Failures`, { crashes: 0, errors: 49, requests: 1000 })).toBe(false);
      expect(goesOff(`${name}-Failures`, { crashes: 0, requests: 1000 })).toBe(false);
    },
  );

  it('see refused requests, which reach no function, and no other 4xx', () => {
    const [share = '', refused = ''] = expressionsOfAlarm('Api-Refusals');
    const shareOf = (metrics: Record<string, number>) =>
      evaluateMetricMath(share, { ...metrics, refused: evaluateMetricMath(refused, metrics) });

    // Throttled or blocked.
    expect(shareOf({ requests: 1000, clientErrors: 100 })).toBe(10);
    // Refused by a function: without a key, for example.
    expect(shareOf({ requests: 1000, clientErrors: 100, ofFunctions: 100 })).toBe(0);
    // The log of the functions arrives before the metric of the gateway.
    expect(shareOf({ requests: 1000, clientErrors: 90, ofFunctions: 100 })).toBe(0);
    // Preflight requests, which the gateway responds to with 204.
    expect(shareOf({ requests: 1000, clientErrors: 0 })).toBe(0);
    expect(shareOf({ requests: 99, clientErrors: 99 })).toBe(0);
  });

  it('send one mail for the error budget: if both windows of a rate are in alarm', () => {
    const windows = textOf(errorBudget.AlarmRule).replaceAll(
      /<\w+?(Fast|Slow)Burn(Long|Short)\.Arn>/g,
      '$1$2',
    );

    expect(windows).toBe(
      '((ALARM("FastLong") AND ALARM("FastShort")) OR (ALARM("SlowLong") AND ALARM("SlowShort")))',
    );
  });

  it('watch each table that lists query, with its index, and no table that cannot be throttled', () => {
    const watched = (name: string) =>
      alarmMetrics
        .filter((metric) => metric.name === name)
        .map(({ dimensions }) => Object.values(dimensions).join(' '))
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
    const watching = alarms.filter(({ AlarmName }) => /-Deletes$/.test(String(AlarmName)));

    expect(kept).not.toEqual([]);
    expect(watching.flatMap(metricsOf).map(({ dimensions }) => dimensions)).toEqual(
      kept.flatMap((name) =>
        ['DeleteItem', 'BatchWriteItem'].map((Operation) => ({
          Operation,
          TableName: `<${tableConstruct(name)}>`,
        })),
      ),
    );
    for (const alarm of watching) {
      const stats = (alarm.Metrics as { MetricStat?: { Stat: string } }[]).flatMap(
        ({ MetricStat }) => MetricStat?.Stat ?? [],
      );
      // The other statistics of a latency are milliseconds.
      expect(stats).toEqual(['SampleCount', 'SampleCount']);
    }
    for (const name of kept.map((each) => `${tableConstruct(each)}-Deletes`)) {
      expect(goesOff(name, { m0: 1 })).toBe(true);
      expect(goesOff(name, { m1: 1 })).toBe(true);
      expect(goesOff(name, {})).toBe(false);
    }
  });

  it('notify the operators, except for those that CodeDeploy or another alarm watches', () => {
    const silent = resourcesOf(template, 'AWS::CloudWatch::Alarm')
      .filter(([, { Properties }]) => !Properties.AlarmActions)
      .map(([id]) => shortId(id));

    expect(silent.filter((id) => !/(Fast|Slow)Burn(Long|Short)$/.test(id)).sort()).toEqual(
      operationEntries.map(([name]) => `Releases${name}NewVersionFails`).sort(),
    );
    for (const { AlarmActions, OKActions } of [...alarms, errorBudget]) {
      const actions = [AlarmActions ?? [], OKActions ?? []].flat().map(textOf);
      expect(['', '<AlarmTopic>,<AlarmTopic>']).toContain(String(actions));
    }
    expect(errorBudget).toHaveProperty('AlarmActions');
  });
});

describe('the dashboard', () => {
  it('draws metrics that exist, of resources of this stack', () => {
    const { widgets } = JSON.parse(textOf(dashboard.DashboardBody)) as {
      widgets: { properties: { metrics?: unknown[][] } }[];
    };
    const rows = widgets.flatMap(({ properties }) => properties.metrics ?? []);
    const metrics = rows
      .map((row) => row.filter((each) => typeof each === 'string'))
      .filter(([namespace]) => namespace)
      .map(([namespace = '', name = '', ...pairs]) => ({
        namespace,
        name,
        dimensions: Object.fromEntries(
          pairs.flatMap((key, index) => (index % 2 ? [] : [[key, pairs[index + 1] ?? '']])),
        ),
      }));

    expect(metrics.length).toBeGreaterThan(40);
    expect(metrics.flatMap(problemsOf)).toEqual([]);
  });
});

/** With references as `textOf` writes them. */
type Metric = { namespace: string; name: string; dimensions: Record<string, string> };

/** Returns the metrics of an alarm, including those in its expression. */
function metricsOf({ Metrics = [], ...alarm }: Properties): Metric[] {
  const parts = Metrics as { MetricStat?: { Metric: Properties } }[];
  const inExpression = parts.flatMap(({ MetricStat }) => (MetricStat ? [MetricStat.Metric] : []));
  return (alarm.MetricName ? [alarm] : inExpression).map((each) => ({
    namespace: String(each.Namespace),
    name: String(each.MetricName),
    dimensions: Object.fromEntries(
      ((each.Dimensions ?? []) as Properties[]).map(({ Name, Value }) => [Name, textOf(Value)]),
    ),
  }));
}

/** Returns why a metric would never have data. Empty if the metric is fine. */
function problemsOf({ namespace, name, dimensions }: Metric): string[] {
  const text = `${namespace} ${name} ${JSON.stringify(dimensions)}`;
  const names = metricNames[`${namespace} ${Object.keys(dimensions).sort()}`];
  if (!names?.split(' ').includes(name)) return [`${text} does not exist under these dimensions.`];
  // A reference names a resource of the stack: CloudFormation refuses others.
  const values = Object.values(dimensions).filter((value) => !/^<[\w.:]+>(:live)?$/.test(value));
  const unknown = values.filter((value) => !knownNames.includes(value));
  return unknown.map((value) => `${text}: the stack has no ${value}.`);
}
