import type { Template } from 'aws-cdk-lib/assertions';
import { metricDimensions, metricNamespace } from '../../lib/metrics.ts';
import { serviceName } from '../../lib/operations.ts';
import {
  functionNames,
  type Properties,
  propertiesOf,
  resourcesOf,
  shortId,
  textOf,
} from './templates.ts';

/** A metric of an alarm or a dashboard, with references as `textOf` writes them. */
type NamedMetric = { namespace: string; name: string; dimensions: Record<string, string> };

/** Returns the metrics of an alarm, including those in its expression. */
export function alarmMetrics({ Metrics, ...alarm }: Properties): NamedMetric[] {
  const parts = (Metrics ?? []) as { MetricStat?: { Metric: Properties } }[];
  const inExpression = parts.flatMap(({ MetricStat }) => (MetricStat ? [MetricStat.Metric] : []));
  return (alarm.MetricName ? [alarm] : inExpression).map((each) => ({
    namespace: String(each.Namespace),
    name: String(each.MetricName),
    dimensions: Object.fromEntries(
      ((each.Dimensions ?? []) as { Name: string; Value: unknown }[]).map(({ Name, Value }) => [
        Name,
        textOf(Value),
      ]),
    ),
  }));
}

/** `[namespace, name, dimension, value, …, options]`, or `[{ expression }]`. */
export type DashboardRow = (string | { expression?: string })[];

/** Returns the metric of a dashboard row that has no expression. */
export function rowMetric([namespace, name, ...rest]: DashboardRow): NamedMetric {
  const texts = rest.filter((each) => typeof each === 'string');
  const pairs = texts.flatMap((text, index) => (index % 2 ? [[texts[index - 1], text]] : []));
  return {
    namespace: String(namespace),
    name: String(name),
    dimensions: Object.fromEntries(pairs),
  };
}

const tableMetricNames = [
  'ReadThrottleEvents',
  'WriteThrottleEvents',
  'ConsumedReadCapacityUnits',
  'ConsumedWriteCapacityUnits',
];

/** The dimensions of each AWS metric. CloudWatch has no data under any other set of dimensions. */
const awsMetrics: Record<string, { names: string[]; dimensions: string[] }[]> = {
  'AWS/ApiGateway': [
    {
      names: ['Count', '4XXError', '5XXError', 'Latency', 'IntegrationLatency'],
      dimensions: ['ApiName', 'Stage'],
    },
  ],
  'AWS/Lambda': [
    {
      names: ['Invocations', 'Errors', 'Throttles', 'Duration', 'ConcurrentExecutions'],
      dimensions: ['FunctionName'],
    },
    {
      names: ['Invocations', 'Errors'],
      dimensions: ['ExecutedVersion', 'FunctionName', 'Resource'],
    },
    // Of the account and Region.
    { names: ['ClaimedAccountConcurrency', 'ConcurrentExecutions'], dimensions: [] },
  ],
  'AWS/WAFV2': [{ names: ['BlockedRequests'], dimensions: ['Region', 'Rule', 'WebACL'] }],
  'AWS/DynamoDB': [
    { names: tableMetricNames, dimensions: ['TableName'] },
    { names: tableMetricNames, dimensions: ['GlobalSecondaryIndexName', 'TableName'] },
    { names: ['SystemErrors'], dimensions: ['Operation', 'TableName'] },
  ],
};

/**
 * Returns why a metric of a stage would never have data. Empty if the metric is fine.
 *
 * It does not exist under these dimensions, or the template lacks what a dimension names.
 */
export function metricProblems(template: Template, metric: NamedMetric): string[] {
  const { namespace, name, dimensions } = metric;
  const keys = Object.keys(dimensions).sort();
  const exists =
    namespace === metricNamespace
      ? String([...metricDimensions[name as 'Errors']].sort()) === String(keys)
      : awsMetrics[namespace]?.some(
          (each) => each.names.includes(name) && String(each.dimensions) === String(keys),
        );
  const text = `${namespace} ${name} ${JSON.stringify(dimensions)}`;
  if (!exists) return [`${text} does not exist under these dimensions.`];
  const known = valuesOf(template, dimensions);
  return keys
    .filter((key) => !known[key]?.includes(dimensions[key] ?? ''))
    .map((key) => `${text} has a ${key} that is not one of ${known[key]}.`);
}

/** The possible values of each dimension, given the others. */
function valuesOf(
  template: Template,
  dimensions: NamedMetric['dimensions'],
): Record<string, string[]> {
  const referencesTo = (type: string) =>
    resourcesOf(template, type).map(([id]) => `<${shortId(id)}>`);
  const functionName = dimensions.FunctionName ?? '';
  const functionId = functionName.slice(1, -1) || `${dimensions.operation}Function`;
  const stageNames = propertiesOf(template, 'AWS::ApiGateway::Stage').map((each) =>
    String(each.StageName),
  );
  const tables = resourcesOf(template, 'AWS::DynamoDB::Table');
  const table = tables.find(([id]) => `<${shortId(id)}>` === dimensions.TableName)?.[1];
  const indexes = (table?.Properties.GlobalSecondaryIndexes ?? []) as { IndexName: string }[];
  const aliases = propertiesOf(template, 'AWS::Lambda::Alias').filter(
    ({ FunctionName }) => textOf(FunctionName) === functionName,
  );
  // The newest version of this function.
  const versions = [`<${functionId}CurrentVersion.Version>`];
  return {
    ApiName: propertiesOf(template, 'AWS::ApiGateway::RestApi').map(({ Name }) => String(Name)),
    Stage: [...referencesTo('AWS::ApiGateway::Stage'), ...stageNames],
    FunctionName: referencesTo('AWS::Lambda::Function'),
    Resource: aliases.map(({ Name }) => `${functionName}:${Name}`),
    ExecutedVersion: versions,
    TableName: referencesTo('AWS::DynamoDB::Table'),
    GlobalSecondaryIndexName: indexes.map(({ IndexName }) => IndexName),
    Operation: actionsOn(template, dimensions.TableName ?? ''),
    Region: ['<AWS::Region>'],
    Rule: ['ALL'],
    WebACL: propertiesOf(template, 'AWS::WAFv2::WebACL').map(({ VisibilityConfig }) =>
      String((VisibilityConfig as Properties).MetricName),
    ),
    service: [serviceName],
    stage: stageNames,
    operation: functionNames,
    functionVersion: versions,
  };
}

/** Returns the DynamoDB actions that the functions may take on a table or its indexes. */
export function actionsOn(template: Template, tableReference: string): string[] {
  const arn = tableReference.replace('>', '.Arn>');
  const policies = propertiesOf(template, 'AWS::IAM::Policy');
  const statements = policies.flatMap(
    ({ PolicyDocument }) => (PolicyDocument as { Statement: Record<string, unknown>[] }).Statement,
  );
  const actions = statements
    .filter(({ Resource }) => [Resource].flat().some((each) => textOf(each).startsWith(arn)))
    .flatMap(({ Action }) => [Action].flat().map(String));
  return [...new Set(actions)].map((action) => action.replace('dynamodb:', '')).sort();
}
