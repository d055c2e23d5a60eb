import {
  AlarmStatusWidget,
  AlarmStatusWidgetSortBy,
  GraphWidget,
  type IMetric,
  type MathExpression,
  TextWidget,
  TextWidgetBackground,
} from 'aws-cdk-lib/aws-cloudwatch';
import { type MetricName, metricDimensions, metricNamespace } from '../../../lib/metrics.ts';
import { metricMath } from '../../core/serviceMetrics.ts';
import { failedOfOperation } from './addServiceAlarms.ts';
import { metricsWithIndexes, throttleMetrics } from './addTableAlarms.ts';
import type { Monitored, ServiceMonitoring } from './ServiceMonitoring.ts';

/** The width of a dashboard. Widgets beyond it begin another row. */
const fullWidth = 24;

/** Fills the dashboard. It begins with the state of all alarms, so they must exist. */
export function addDashboardWidgets(
  { dashboard, alarms }: ServiceMonitoring,
  { stage, api, responses, functions, tables, signals }: Monitored,
): void {
  dashboard.addWidgets(
    new AlarmStatusWidget({
      title: 'Alarms',
      alarms,
      sortBy: AlarmStatusWidgetSortBy.STATE_UPDATED_TIMESTAMP,
      width: fullWidth,
      height: 4,
    }),
  );
  dashboard.addWidgets(
    new GraphWidget({
      title: 'Failed requests, %',
      left: functions
        .filter(({ name }) => name !== 'fallback')
        .map((each) => failedOfOperation(each, stage.name, 1, each.name)),
      leftYAxis: { min: 0 },
      width: fullWidth,
    }),
  );
  const { deploymentStage } = api;
  dashboard.addWidgets(heading('API'));
  dashboard.addWidgets(
    graph('Requests at the gateway', [
      deploymentStage.metricCount({ label: 'requests' }),
      responses.FailedRequests.with({ label: '5xx responses' }),
      responses.RefusedRequests.with({ label: 'refused' }),
      ...signals.flatMap(({ requests = [] }) => requests),
    ]),
    graph(
      'Latency, ms',
      ['p50', 'p99'].map((statistic) =>
        deploymentStage.metricLatency({ statistic, label: statistic }),
      ),
    ),
    graph('Errors by code', [search('Errors', stage.name)]),
  );
  dashboard.addWidgets(heading('Functions'));
  dashboard.addWidgets(
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
  );
  dashboard.addWidgets(heading('Tables'));
  dashboard.addWidgets(
    ...[
      'ConsumedReadCapacityUnits',
      'ConsumedWriteCapacityUnits',
      ...throttleMetrics('MaxOnDemandThroughput'),
      ...throttleMetrics('KeyRangeThroughput'),
    ].map((metricName) => graph(metricName, metricsWithIndexes(tables, [metricName]))),
  );
}

function heading(text: string): TextWidget {
  const background = TextWidgetBackground.TRANSPARENT;
  return new TextWidget({ markdown: `### ${text}`, background, width: fullWidth, height: 1 });
}

function graph(title: string, left: IMetric[]): GraphWidget {
  return new GraphWidget({ title, left, width: fullWidth / 3, height: 5 });
}

/** Every series of a metric in this stage, for dimensions whose values are not known in advance. */
function search(metricName: MetricName, stageName: string): MathExpression {
  const schema = [metricNamespace, ...metricDimensions[metricName]].join(',');
  const query = `{${schema}} MetricName="${metricName}" stage="${stageName}"`;
  return metricMath(' ', `SEARCH('${query}', 'Sum', 300)`, {});
}
