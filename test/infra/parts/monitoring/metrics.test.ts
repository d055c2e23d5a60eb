import { expect, it } from 'vitest';
import { failuresMetric, metricNamespace } from '../../../../lib/metrics.ts';
import { serviceName } from '../../../../lib/operations.ts';
import { allTables, tableName, tables } from '../../../../lib/tables.ts';
import { functionNames, propertiesOf, production as template } from '../../../helpers/templates.ts';

type FirewallRule = { VisibilityConfig: { MetricName: string } };
type Metric = { namespace: string; name: string; dimensions: Record<string, string> };

const ofAlarms: Metric[] = propertiesOf(template, 'AWS::CloudWatch::Alarm')
  .flatMap(({ Metrics }) => Metrics)
  .flatMap(({ MetricStat }) => MetricStat?.Metric ?? [])
  .map(({ Namespace, MetricName, Dimensions = [] }) => ({
    namespace: Namespace,
    name: MetricName,
    dimensions: Object.fromEntries(
      Dimensions.map(({ Name, Value }: Record<string, string>) => [Name, Value]),
    ),
  }));

/** A row of a graph is `[namespace, name, …dimensions, options]`, or `[options]` of an expression. */
const ofGraphs: Metric[] = propertiesOf(template, 'AWS::CloudWatch::Dashboard')
  .flatMap(({ DashboardBody }) => JSON.parse(DashboardBody).widgets)
  .flatMap(({ properties: { metrics = [] } }) => metrics)
  .map((row) => row.filter((each: unknown) => typeof each === 'string'))
  .filter((row) => row.length > 0)
  .map(([namespace, name, ...pairs]) => ({
    namespace,
    name,
    dimensions: Object.fromEntries(
      pairs.flatMap((key: string, index: number) => (index % 2 ? [] : [[key, pairs[index + 1]]])),
    ),
  }));

const metrics = [...ofAlarms, ...ofGraphs];

const nameOf = (namespace: string, dimensions: readonly string[], name: string) =>
  `${namespace} {${dimensions.toSorted()}} ${name}`;

const tableMetrics =
  'ReadMaxOnDemandThroughputThrottleEvents WriteMaxOnDemandThroughputThrottleEvents ReadKeyRangeThroughputThrottleEvents WriteKeyRangeThroughputThrottleEvents ConsumedReadCapacityUnits ConsumedWriteCapacityUnits';

/** Metrics of AWS, by namespace and dimensions. They have no data under any other set of dimensions. */
const metricsOfAws = Object.entries({
  'AWS/ApiGateway {ApiName,Stage}': 'Count Latency',
  'AWS/Lambda {FunctionName}': 'Invocations Errors Throttles Duration ConcurrentExecutions',
  // Metrics of the account and Region.
  'AWS/Lambda {}': 'ClaimedAccountConcurrency ConcurrentExecutions',
  'AWS/WAFV2 {Region,Rule,WebACL}': 'BlockedRequests',
  'AWS/DynamoDB {TableName}': tableMetrics,
  'AWS/DynamoDB {GlobalSecondaryIndexName,TableName}': tableMetrics,
}).flatMap(([key, names]) => names.split(' ').map((name) => `${key} ${name}`));

/** The metrics of the functions and of the access log, which CloudWatch bills. */
const ownMetrics = [
  nameOf(metricNamespace, failuresMetric.dimensions, failuresMetric.name),
  ...propertiesOf(template, 'AWS::Logs::MetricFilter')
    .flatMap(({ MetricTransformations }) => MetricTransformations)
    .map(({ MetricNamespace, MetricName }) => nameOf(MetricNamespace, [], MetricName)),
];

it('alarms and graphs read all these metrics, which exist, and no others', () => {
  const read = metrics.map(({ namespace, name, dimensions }) =>
    nameOf(namespace, Object.keys(dimensions), name),
  );

  expect([...new Set(read)].sort()).toEqual([...metricsOfAws, ...ownMetrics].sort());
});

it('the dimensions of metrics have the names of this stack', () => {
  const [{ StageName } = expect.fail()] = propertiesOf(template, 'AWS::ApiGateway::Stage');
  const [{ Name } = expect.fail()] = propertiesOf(template, 'AWS::ApiGateway::RestApi');
  const indexes = allTables.flatMap((name) => Object.keys(tables[name].indexes));
  const rules = propertiesOf(template, 'AWS::WAFv2::WebACL').flatMap(({ Rules }) =>
    Rules.map(({ VisibilityConfig }: FirewallRule) => VisibilityConfig.MetricName),
  );

  // A reference names a resource of the stack: CloudFormation refuses others.
  const values = metrics
    .flatMap(({ dimensions }) => Object.values(dimensions))
    .filter((value) => !/^<[\w.:]+>(:live)?$/.test(value));
  expect([...new Set(values)].sort()).toEqual(
    [
      serviceName,
      StageName,
      Name,
      ...indexes,
      ...functionNames,
      ...rules,
      ...allTables.map((name) => tableName(StageName, name)),
    ].sort(),
  );
});
