import type { Template } from 'aws-cdk-lib/assertions';
import { metricDimensions, metricNamespace, serviceName } from '../../lib/metricDimensions.ts';
import { operationEntries } from '../../lib/operations.ts';
import { propertiesOf, resourcesOf, shortId, textOf } from './templates.ts';

/** A metric as an alarm or a dashboard names it, with references as `textOf` writes them. */
export type NamedMetric = {
  namespace: string;
  name: string;
  dimensions: Record<string, string>;
};

/** Under which dimensions AWS keeps which metric; any other set has no data, ever. */
const ofAws: Record<string, { names: string[]; dimensions: string[] }[]> = {
  'AWS/ApiGateway': [
    {
      names: ['Count', '4XXError', '5XXError', 'Latency', 'IntegrationLatency'],
      dimensions: ['ApiName', 'Stage'],
    },
  ],
  'AWS/Lambda': [
    {
      names: ['Errors', 'Throttles', 'Duration', 'ConcurrentExecutions'],
      dimensions: ['FunctionName'],
    },
    { names: ['Errors'], dimensions: ['ExecutedVersion', 'FunctionName', 'Resource'] },
  ],
  'AWS/DynamoDB': [
    {
      names: [
        'ReadThrottleEvents',
        'WriteThrottleEvents',
        'ConsumedReadCapacityUnits',
        'ConsumedWriteCapacityUnits',
      ],
      dimensions: ['TableName'],
    },
    {
      names: [
        'ReadThrottleEvents',
        'WriteThrottleEvents',
        'ConsumedReadCapacityUnits',
        'ConsumedWriteCapacityUnits',
      ],
      dimensions: ['GlobalSecondaryIndexName', 'TableName'],
    },
    { names: ['SystemErrors'], dimensions: ['Operation', 'TableName'] },
  ],
  'AWS/Logs': [{ names: ['IncomingBytes'], dimensions: ['LogGroupName'] }],
};

/**
 * Says why a metric of a stage would never have data: there is no such metric under these dimensions,
 * or what a dimension names is not in the template. Empty where all is well.
 */
export function metricTrouble(template: Template, metric: NamedMetric): string[] {
  const { namespace, name, dimensions } = metric;
  const keys = Object.keys(dimensions).sort();
  const isKept =
    namespace === metricNamespace
      ? String([...metricDimensions[name as 'Requests']].sort()) === String(keys)
      : ofAws[namespace]?.some(
          (each) => each.names.includes(name) && String(each.dimensions) === String(keys),
        );
  const asText = `${namespace} ${name} ${JSON.stringify(dimensions)}`;
  if (!isKept) return [`${asText} is kept under other dimensions, or not at all.`];
  const known = valuesOf(template, dimensions);
  return keys
    .filter((key) => !known[key]?.includes(dimensions[key] ?? ''))
    .map((key) => `${asText} has a ${key} that is none of ${known[key]}.`);
}

/** What each dimension may name, given the others. */
function valuesOf(template: Template, dimensions: NamedMetric['dimensions']) {
  const referencesTo = (type: string) =>
    resourcesOf(template, type).map(([id]) => `<${shortId(id)}>`);
  const functionName = dimensions.FunctionName ?? '';
  const functionId = functionName.slice(1, -1) || `${dimensions.operation}Function`;
  const tables = resourcesOf(template, 'AWS::DynamoDB::Table');
  const table = tables.find(([id]) => `<${shortId(id)}>` === dimensions.TableName)?.[1];
  const indexes = (table?.Properties.GlobalSecondaryIndexes ?? []) as { IndexName: string }[];
  const aliases = propertiesOf(template, 'AWS::Lambda::Alias').filter(
    ({ FunctionName }) => textOf(FunctionName) === functionName,
  );
  // The function's own newest version, and no other's.
  const versions = [`<${functionId}CurrentVersion.Version>`];
  const known: Record<string, string[]> = {
    ApiName: propertiesOf(template, 'AWS::ApiGateway::RestApi').map(({ Name }) => String(Name)),
    Stage: referencesTo('AWS::ApiGateway::Stage'),
    FunctionName: referencesTo('AWS::Lambda::Function'),
    Resource: aliases.map(({ Name }) => `${functionName}:${Name}`),
    ExecutedVersion: versions,
    TableName: referencesTo('AWS::DynamoDB::Table'),
    GlobalSecondaryIndexName: indexes.map(({ IndexName }) => IndexName),
    Operation: actionsOn(template, dimensions.TableName ?? ''),
    LogGroupName: referencesTo('AWS::Logs::LogGroup'),
    service: [serviceName],
    stage: propertiesOf(template, 'AWS::ApiGateway::Stage').map((each) => String(each.StageName)),
    operation: [...operationEntries.map(([name]) => name), 'fallback'],
    version: versions,
  };
  return known;
}

/** What the roles of the stack may do with a table or its indexes, by DynamoDB's words. */
export function actionsOn(template: Template, tableReference: string): string[] {
  const arn = tableReference.replace('>', '.Arn>');
  const statements = propertiesOf(template, 'AWS::IAM::Policy').flatMap(
    ({ PolicyDocument }) => (PolicyDocument as { Statement: Record<string, unknown>[] }).Statement,
  );
  const actions = statements
    .filter(({ Resource }) => [Resource].flat().some((each) => textOf(each).startsWith(arn)))
    .flatMap(({ Action }) => [Action].flat().map(String));
  return [...new Set(actions)].map((action) => action.replace('dynamodb:', '')).sort();
}
