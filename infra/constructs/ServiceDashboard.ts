import { Duration, Stack } from 'aws-cdk-lib';
import type { Stage as ApiStage } from 'aws-cdk-lib/aws-apigateway';
import {
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  LogQueryVisualizationType,
  LogQueryWidget,
  MathExpression,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { type MetricName, metricDimensions, metricNamespace } from '../../lib/metricDimensions.ts';
import type { Stage } from '../stages.ts';
import type { AccessLog } from './AccessLog.ts';
import { deprecatedCallersWidgets } from './DeprecatedCallers.ts';
import type { ApiFunction } from './ServiceFunction.ts';
import type { ServiceTable } from './ServiceTable.ts';

const period = Duration.minutes(5);

type ServiceDashboardProps = {
  stage: Stage;
  apiStage: ApiStage;
  functions: readonly ApiFunction[];
  tables: readonly ServiceTable[];
  accessLog: AccessLog | undefined;
};

/** One dashboard for a stage: traffic, errors, latency, saturation and costs. */
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

function traffic({ apiStage, functions }: ServiceDashboardProps): IWidget[] {
  return [
    graph('Requests to the API', [apiStage.metricCount({ period, label: 'requests' })]),
    graph('Requests by operation', perFunction(functions, 'Invocations')),
    createdPets(functions),
    ...deprecatedCallersWidgets(functions),
  ];
}

/** From the log lines: a metric would cost $0.30 a month, this $0.005 for each GB of log that it shows. */
function createdPets(functions: readonly ApiFunction[]): IWidget {
  return new LogQueryWidget({
    title: 'Pets created',
    view: LogQueryVisualizationType.LINE,
    queryLines: ['filter ispresent(petsCreated)', 'stats sum(petsCreated) as pets by bin(5m)'],
    logGroupNames: functions
      .filter(({ name }) => name === 'createPet')
      .map(({ logGroup }) => logGroup.logGroupName),
    width: 6,
    height: 6,
  });
}

function errors({ stage, apiStage, functions }: ServiceDashboardProps): IWidget[] {
  return [
    graph('4xx and 5xx responses', [
      apiStage.metricClientError({ period, label: '4xx' }),
      apiStage.metricServerError({ period, label: '5xx' }),
    ]),
    graph('Errors by code', [search('Errors', stage)]),
    graph('5xx responses of functions, by version', [search('ServerErrors', stage)]),
    graph('Crashes and time-outs of functions', perFunction(functions, 'Errors')),
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
      'Latency within the functions, ms',
      percentiles.map((each) =>
        apiStage.metricIntegrationLatency({ period, statistic: each, label: each }),
      ),
    ),
    graph('Duration p99 by function, ms', perFunction(functions, 'Duration', 'p99')),
  ];
}

function saturation({ functions, tables }: ServiceDashboardProps): IWidget[] {
  return [
    graph(
      'Concurrent executions of functions',
      perFunction(functions, 'ConcurrentExecutions', 'Maximum'),
    ),
    graph('Invocations refused by Lambda', perFunction(functions, 'Throttles')),
    graph('Reads refused by DynamoDB', perTable(tables, 'ReadThrottleEvents')),
    graph('Writes refused by DynamoDB', perTable(tables, 'WriteThrottleEvents')),
  ];
}

function costs({ functions, tables, accessLog }: ServiceDashboardProps): IWidget[] {
  const logs = functions.map(({ name, logGroup }) => ({ label: name as string, logGroup }));
  if (accessLog) logs.push({ label: 'access log', logGroup: accessLog });
  return [
    graph('Write units of DynamoDB', perTable(tables, 'ConsumedWriteCapacityUnits')),
    graph('Read units of DynamoDB', perTable(tables, 'ConsumedReadCapacityUnits')),
    graph('Billed time of functions, ms', perFunction(functions, 'Duration')),
    graph(
      'Bytes logged',
      logs.map(({ label, logGroup }) =>
        // Without the dimension, the log group's own method counts the whole account.
        logGroup.metricIncomingBytes({
          period,
          label,
          dimensionsMap: { LogGroupName: logGroup.logGroupName },
        }),
      ),
    ),
  ];
}

function perFunction(
  functions: readonly ApiFunction[],
  metricName: string,
  statistic = 'Sum',
): IMetric[] {
  return functions.map(({ name, function: each }) =>
    each.metric(metricName, { period, statistic, label: name }),
  );
}

function perTable(tables: readonly ServiceTable[], metricName: string): IMetric[] {
  return tables.flatMap((each) =>
    each.metricsWithIndexes([metricName], { period, hasLabels: true }),
  );
}

/** Every series of a metric in this stage, for dimensions whose values are not known in advance. */
function search(metricName: MetricName, stage: Stage): MathExpression {
  const schema = [metricNamespace, ...metricDimensions[metricName]].join(',');
  const query = `{${schema}} MetricName="${metricName}" stage="${stage.name}"`;
  return new MathExpression({
    expression: `SEARCH('${query}', 'Sum', ${period.toSeconds()})`,
    label: '',
    period,
  });
}

/** A heading with a row of graphs below it. */
function section(title: string, graphs: IWidget[]): IWidget[][] {
  return [[new TextWidget({ markdown: `## ${title}`, width: 24, height: 1 })], graphs];
}

function graph(title: string, left: IMetric[]): IWidget {
  return new GraphWidget({ title, left, width: 6, height: 6, leftYAxis: { min: 0 } });
}
