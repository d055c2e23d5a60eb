import { Aws, Stack } from 'aws-cdk-lib';
import {
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IAlarm,
  type IMetric,
  MathExpression,
  Metric,
  PeriodOverride,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { allTables, tables as tableDefinitions } from '../../../lib/tables.ts';
import type { ApiFunction } from '../../core/ServiceFunction.ts';
import { failuresOf, type Monitored } from './metrics.ts';

/** A third of a dashboard. Graphs beyond its width begin another row. */
const graphWidth = 8;

/** Adds the dashboard: the state of the alarms, then their causes. */
export function addDashboard(scope: Construct, monitored: Monitored, alarms: IAlarm[]): void {
  const { stage, api, responses, functions, tables, firewallRules } = monitored;
  new Dashboard(scope, 'Dashboard', {
    dashboardName: `${Stack.of(scope).stackName}-service`,
    // Graphs keep the periods of their metrics, also over weeks.
    periodOverride: PeriodOverride.INHERIT,
    widgets: [
      [new AlarmStatusWidget({ title: 'Alarms', alarms, width: 3 * graphWidth, height: 4 })],
      [
        graph(
          'Failed requests of each function, %',
          functions.map((each) => failedPercentOf(each, stage.name)),
        ),
        graph('Requests at the gateway', [
          api.deploymentStage.metricCount({ label: 'requests' }),
          responses.FailedRequests.with({ label: '5xx responses' }),
          responses.RefusedRequests.with({ label: 'refused' }),
          ...firewallRules.map((rule) => blockedBy(rule, scope)),
        ]),
        graph('Latency, ms', [
          api.deploymentStage.metricLatency({ statistic: 'p50', label: 'p50' }),
          api.deploymentStage.metricLatency({ statistic: 'p99', label: 'p99' }),
        ]),
      ],
      [
        ...Object.entries({
          Invocations: 'Sum',
          Duration: 'p99',
          Errors: 'Sum',
          Throttles: 'Sum',
          ConcurrentExecutions: 'Maximum',
        }).map(([metricName, statistic]) =>
          graph(
            `${metricName} (${statistic})`,
            functions.map(({ name, function: each }) =>
              each.metric(metricName, { statistic, label: name }),
            ),
          ),
        ),
        graph('Concurrency of the account, % of its quota', [usedConcurrency()]),
      ],
      [
        ...[
          'ConsumedReadCapacityUnits',
          'ConsumedWriteCapacityUnits',
          // At the ceiling of a table or an index
          'ReadMaxOnDemandThroughputThrottleEvents',
          'WriteMaxOnDemandThroughputThrottleEvents',
          // At the limit of a partition
          'ReadKeyRangeThroughputThrottleEvents',
          'WriteKeyRangeThroughputThrottleEvents',
        ].map((metricName) => graph(metricName, metricsWithIndexes(tables, metricName))),
      ],
    ],
  });
}

function graph(title: string, left: IMetric[]): GraphWidget {
  return new GraphWidget({ title, left, leftYAxis: { min: 0 }, width: graphWidth, height: 5 });
}

/** The failed requests of a function in percent. */
function failedPercentOf(each: ApiFunction, stageName: string): IMetric {
  const { failed, requests, usingMetrics } = failuresOf(each, stageName);
  const expression = `100 * ${failed} / ${requests}`;
  return new MathExpression({ label: each.name, expression, usingMetrics });
}

/** The requests that a rule of this stack's web ACL, which has the name of the stack, has blocked. */
function blockedBy(rule: string, scope: Construct): Metric {
  return new Metric({
    namespace: 'AWS/WAFV2',
    metricName: 'BlockedRequests',
    dimensionsMap: { WebACL: Stack.of(scope).stackName, Rule: rule, Region: Aws.REGION },
    statistic: 'Sum',
    label: `blocked by ${rule}`,
  });
}

/** No function reserves concurrency, so all functions of the account and Region share its quota. */
function usedConcurrency(): IMetric {
  const ofAccount = (metricName: string) =>
    new Metric({ namespace: 'AWS/Lambda', metricName, statistic: 'Maximum' });
  // `ClaimedAccountConcurrency` includes what is reserved, but CloudWatch does not know its quota.
  return new MathExpression({
    label: 'used',
    expression: '100 * claimed / SERVICE_QUOTA(executions)',
    usingMetrics: {
      claimed: ofAccount('ClaimedAccountConcurrency'),
      executions: ofAccount('ConcurrentExecutions'),
    },
  });
}

/** Returns a metric of each table and each index: DynamoDB counts them separately. */
function metricsWithIndexes(tables: Monitored['tables'], metricName: string): Metric[] {
  return allTables.flatMap((name) =>
    [undefined, ...Object.keys(tableDefinitions[name].indexes)].map((index) =>
      tables[name].metric(metricName, {
        dimensionsMap: {
          TableName: tables[name].tableName,
          ...(index && { GlobalSecondaryIndexName: index }),
        },
        statistic: 'Sum',
        label: index ? `${tables[name].node.id} ${index}` : tables[name].node.id,
      }),
    ),
  );
}
