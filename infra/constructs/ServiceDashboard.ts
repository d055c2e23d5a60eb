import { Duration, Stack } from 'aws-cdk-lib';
import type { Stage as ApiStage } from 'aws-cdk-lib/aws-apigateway';
import {
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  MathExpression,
  Metric,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { type MetricName, metricDimensions, metricNamespace } from '../../lib/metricDimensions.ts';
import { serviceMetric } from '../serviceMetric.ts';
import type { Stage } from '../stages.ts';
import type { AccessLog } from './AccessLog.ts';
import type { LiveFunction } from './LiveFunction.ts';
import type { WatchedTable } from './watchedTable.ts';

const period = Duration.minutes(5);

type ServiceDashboardProps = {
  stage: Stage;
  apiStage: ApiStage;
  functions: readonly LiveFunction[];
  tables: readonly WatchedTable[];
  accessLog: AccessLog | undefined;
};

/** One page for a stage: who comes, what fails, how long it takes, how full it is, what it costs. */
export class ServiceDashboard extends Dashboard {
  constructor(scope: Construct, id: string, props: ServiceDashboardProps) {
    super(scope, id, {
      dashboardName: Stack.of(scope).stackName,
      defaultInterval: Duration.hours(12),
      widgets: [
        ...section('Traffic', traffic(props)),
        ...section('Errors', errors(props)),
        ...section('Latency', latency(props)),
        ...section('Saturation', saturation(props)),
        ...section('Cost drivers', costs(props)),
      ],
    });
  }
}

function traffic({ stage, apiStage, functions }: ServiceDashboardProps): IWidget[] {
  const ofOperation = (name: 'Requests' | 'PetsCreated', operation: string) =>
    serviceMetric(name, { stage: stage.name, operation }, { period, label: operation });
  return [
    graph('Requests to the API', [apiStage.metricCount({ period, label: 'requests' })]),
    graph(
      'Answers by operation',
      functions.map(({ name }) => ofOperation('Requests', name)),
    ),
    graph('Pets created', [ofOperation('PetsCreated', 'createPet')]),
    graph('Calls of deprecated operations, by API key', [search('DeprecatedRequests', stage)]),
  ];
}

function errors({ stage, apiStage, functions }: ServiceDashboardProps): IWidget[] {
  return [
    graph('Answers of 4xx and 5xx', [
      apiStage.metricClientError({ period, label: '4xx' }),
      apiStage.metricServerError({ period, label: '5xx' }),
    ]),
    graph('Errors by code', [search('Errors', stage)]),
    graph('5xx of our code, by version', [search('ServerErrors', stage)]),
    graph(
      'Crashes and time-outs of functions',
      functions.map((each) => each.function.metricErrors({ period, label: each.name })),
    ),
  ];
}

function latency({ apiStage, functions }: ServiceDashboardProps): IWidget[] {
  const percentiles = ['p50', 'p90', 'p99'];
  return [
    graph(
      'Latency of the API, ms',
      percentiles.map((each) => apiStage.metricLatency({ period, statistic: each, label: each })),
    ),
    graph(
      'Of it in the functions, ms',
      percentiles.map((each) =>
        apiStage.metricIntegrationLatency({ period, statistic: each, label: each }),
      ),
    ),
    graph(
      'Duration p99 by function, ms',
      functions.map((each) =>
        each.function.metricDuration({ period, statistic: 'p99', label: each.name }),
      ),
    ),
  ];
}

function saturation({ functions, tables }: ServiceDashboardProps): IWidget[] {
  return [
    graph(
      'Functions at work at once',
      functions.map((each) =>
        each.function.metric('ConcurrentExecutions', {
          period,
          statistic: 'Maximum',
          label: each.name,
        }),
      ),
    ),
    graph(
      'Functions refused by Lambda',
      functions.map((each) => each.function.metricThrottles({ period, label: each.name })),
    ),
    graph('Reads refused by DynamoDB', tableMetrics('ReadThrottleEvents', tables)),
    graph('Writes refused by DynamoDB', tableMetrics('WriteThrottleEvents', tables)),
  ];
}

function costs({ functions, tables, accessLog }: ServiceDashboardProps): IWidget[] {
  const logs = functions.map(({ name, logGroup }) => ({ label: name as string, logGroup }));
  if (accessLog) logs.push({ label: 'access log', logGroup: accessLog });
  return [
    graph('Write units of DynamoDB', tableMetrics('ConsumedWriteCapacityUnits', tables)),
    graph('Read units of DynamoDB', tableMetrics('ConsumedReadCapacityUnits', tables)),
    graph(
      'Billed time of functions, ms',
      functions.map((each) =>
        each.function.metricDuration({ period, statistic: 'Sum', label: each.name }),
      ),
    ),
    graph(
      'Bytes logged',
      logs.map(({ label, logGroup }) =>
        // The log group's own method leaves the dimension out, and so counts the whole account.
        logGroup.metricIncomingBytes({
          period,
          label,
          dimensionsMap: { LogGroupName: logGroup.logGroupName },
        }),
      ),
    ),
  ];
}

/** The metric of each table and, apart from it, of each of its indexes. */
function tableMetrics(metricName: string, tables: readonly WatchedTable[]): IMetric[] {
  return tables.flatMap(({ name, tableName, indexNames }) => {
    const places = [
      { label: name, dimensions: {} },
      ...indexNames.map((each) => ({
        label: `${name} ${each}`,
        dimensions: { GlobalSecondaryIndexName: each },
      })),
    ];
    return places.map(
      ({ label, dimensions }) =>
        new Metric({
          namespace: 'AWS/DynamoDB',
          metricName,
          dimensionsMap: { TableName: tableName, ...dimensions },
          statistic: 'Sum',
          period,
          label,
        }),
    );
  });
}

/** All that a metric has of this stage, where nobody can list the values of a dimension beforehand. */
function search(metricName: MetricName, stage: Stage): MathExpression {
  const schema = [metricNamespace, ...metricDimensions[metricName]].join(',');
  const query = `{${schema}} MetricName="${metricName}" stage="${stage.name}"`;
  return new MathExpression({
    expression: `SEARCH('${query}', 'Sum', ${period.toSeconds()})`,
    label: '',
    period,
  });
}

/** A heading, and its graphs in a row. */
function section(title: string, graphs: IWidget[]): IWidget[][] {
  return [[new TextWidget({ markdown: `## ${title}`, width: 24, height: 1 })], graphs];
}

function graph(title: string, left: IMetric[]): IWidget {
  return new GraphWidget({ title, left, width: 6, height: 6, leftYAxis: { min: 0 } });
}
