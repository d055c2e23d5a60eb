import { expect, it } from 'vitest';
import { metricDimensions, metricNamespace } from '../../../lib/metrics.ts';
import { operationEntries, serviceName } from '../../../lib/operations.ts';
import { type TableName, tableName, tables } from '../../../lib/tables.ts';
import { alarmsOf, graphQueries, metricsOf } from '../../helpers/alarms.ts';
import { propertiesOf, production as template } from '../../helpers/templates.ts';

const queries = [
  ...alarmsOf(template).map((each) => each.queries),
  ...graphQueries(template),
].flat();
const metrics = metricsOf(queries);

const nameOf = (namespace: string, dimensions: readonly string[], name: string) =>
  `${namespace} {${dimensions.toSorted()}} ${name}`;

/** The metrics that alarms and graphs read. */
const read = metrics.map(({ namespace, name, dimensions }) =>
  nameOf(namespace, Object.keys(dimensions), name),
);

const tableMetrics =
  'ReadMaxOnDemandThroughputThrottleEvents WriteMaxOnDemandThroughputThrottleEvents ReadKeyRangeThroughputThrottleEvents WriteKeyRangeThroughputThrottleEvents ConsumedReadCapacityUnits ConsumedWriteCapacityUnits';

/** The metrics that AWS publishes, by namespace and dimensions. There is no data under any other set of dimensions. */
const metricsOfAws = Object.entries({
  'AWS/ApiGateway {ApiName,Stage}': 'Count Latency',
  'AWS/Lambda {FunctionName}': 'Invocations Errors Throttles Duration ConcurrentExecutions',
  // Metrics of the account and Region.
  'AWS/Lambda {}': 'ClaimedAccountConcurrency ConcurrentExecutions',
  'AWS/WAFV2 {Region,Rule,WebACL}': 'AllowedRequests BlockedRequests',
  'AWS/DynamoDB {TableName}': tableMetrics,
  'AWS/DynamoDB {GlobalSecondaryIndexName,TableName}': tableMetrics,
  'AWS/DynamoDB {Operation,TableName}': 'SuccessfulRequestLatency',
}).flatMap(([key, names]) => names.split(' ').map((name) => `${key} ${name}`));

/** The metrics of the functions and of the access log, which CloudWatch bills. */
const ownMetrics = [
  ...Object.entries(metricDimensions).map(([name, dimensions]) =>
    nameOf(metricNamespace, dimensions, name),
  ),
  ...propertiesOf(template, 'AWS::Logs::MetricFilter')
    .flatMap(({ MetricTransformations }) => MetricTransformations)
    .map(({ MetricNamespace, MetricName }) => nameOf(MetricNamespace, [], MetricName)),
];

it('alarms and graphs read metrics that exist', () => {
  const existing = [...metricsOfAws, ...ownMetrics];

  expect(read.filter((each) => !existing.includes(each))).toEqual([]);
});

it('each metric has an alarm or a graph that reads it', () => {
  const unread = ownMetrics.filter((each) => !read.includes(each));

  expect(unread, 'nothing needs these metrics, which cost money').toEqual([]);
});

it('the dimensions of metrics have the names of this stack, or names that AWS gives', () => {
  const [{ StageName } = expect.fail()] = propertiesOf(template, 'AWS::ApiGateway::Stage');
  const [{ Name } = expect.fail()] = propertiesOf(template, 'AWS::ApiGateway::RestApi');
  const tableNames = Object.keys(tables) as TableName[];
  const indexes = tableNames.flatMap((name) => Object.keys(tables[name].indexes));
  const operations = operationEntries.map(([name]) => name);
  const namesOfAws = ['ALL', 'BatchWriteItem', 'DeleteItem'];

  // A reference names a resource of the stack: CloudFormation refuses others.
  const values = metrics
    .flatMap(({ dimensions }) => Object.values(dimensions))
    .filter((value) => !/^<[\w.:]+>(:live)?$/.test(value));
  expect([...new Set(values)].sort()).toEqual(
    [
      ...[serviceName, StageName, Name, ...indexes, ...operations, ...namesOfAws],
      ...tableNames.map((name) => tableName(StageName, name)),
    ].sort(),
  );
});
