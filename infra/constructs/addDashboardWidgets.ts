import {
  AlarmStatusWidget,
  AlarmStatusWidgetSortBy,
  GraphWidget,
  type MathExpression,
} from 'aws-cdk-lib/aws-cloudwatch';
import { type MetricName, metricDimensions, metricNamespace } from '../../lib/metrics.ts';
import type { Stage } from '../stageSchema.ts';
import {
  failedOfOperation,
  type Monitored,
  metricMath,
  type ServiceMonitoring,
  throttleMetrics,
} from './ServiceMonitoring.ts';

/** Fills the dashboard. It begins with the state of all alarms, so they must exist. */
export function addDashboardWidgets(
  monitoring: ServiceMonitoring,
  { stage, api, responses, firewall, functions, tables }: Monitored,
): void {
  monitoring.addWidget(
    new AlarmStatusWidget({
      title: 'Alarms',
      alarms: monitoring.alarms,
      sortBy: AlarmStatusWidgetSortBy.STATE_UPDATED_TIMESTAMP,
      width: 24,
      height: 4,
    }),
  );
  monitoring.addWidget(
    new GraphWidget({
      title: 'Failed requests, %',
      left: functions
        .filter(({ name }) => name !== 'fallback')
        .map((each) => failedOfOperation(each, stage, 1, each.name)),
      leftYAxis: { min: 0 },
      width: 24,
    }),
  );
  const { deploymentStage } = api;
  monitoring.monitorCustom({
    alarmFriendlyName: 'API',
    metricGroups: [
      {
        title: 'Requests at the gateway',
        metrics: [
          deploymentStage.metricCount({ label: 'requests' }),
          responses.FailedRequests.with({ label: '5xx responses' }),
          responses.RefusedRequests.with({ label: 'refused' }),
          ...(firewall ? [firewall.blockedRequests.with({ label: 'blocked' })] : []),
        ],
      },
      {
        title: 'Latency, ms',
        metrics: ['p50', 'p99'].map((statistic) =>
          deploymentStage.metricLatency({ statistic, label: statistic }),
        ),
      },
      { title: 'Errors by code', metrics: [search('Errors', stage)] },
      {
        title: '5xx responses other than 503, by version',
        metrics: [search('ServerErrors', stage)],
      },
    ],
  });
  monitoring.monitorCustom({
    alarmFriendlyName: 'Functions',
    metricGroups: [
      ['Invocations', 'Sum'],
      ['Duration', 'p99'],
      ['Errors', 'Sum'],
      ['Throttles', 'Sum'],
      ['ConcurrentExecutions', 'Maximum'],
    ].map(([metricName = '', statistic = '']) => ({
      title: `${metricName} (${statistic})`,
      metrics: functions.map(({ name, function: each }) =>
        each.metric(metricName, { statistic, label: name }),
      ),
    })),
  });
  monitoring.monitorCustom({
    alarmFriendlyName: 'Tables',
    metricGroups: [
      'ConsumedReadCapacityUnits',
      'ConsumedWriteCapacityUnits',
      ...throttleMetrics('MaxOnDemandThroughput'),
      ...throttleMetrics('KeyRangeThroughput'),
    ].map((title) => ({
      title,
      metrics: tables.flatMap((each) => each.metricsWithIndexes([title])),
    })),
  });
}

/** Every series of a metric in this stage, for dimensions whose values are not known in advance. */
function search(metricName: MetricName, stage: Stage): MathExpression {
  const schema = [metricNamespace, ...metricDimensions[metricName]].join(',');
  const query = `{${schema}} MetricName="${metricName}" stage="${stage.name}"`;
  return metricMath(' ', `SEARCH('${query}', 'Sum', 300)`, {});
}
