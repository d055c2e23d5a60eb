import {
  AlarmStatusWidget,
  AlarmStatusWidgetSortBy,
  GraphWidget,
  type IMetric,
  TextWidget,
  TextWidgetBackground,
} from 'aws-cdk-lib/aws-cloudwatch';
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
    graph(
      'Requests at the gateway',
      [
        deploymentStage.metricCount({ label: 'requests' }),
        responses.FailedRequests.with({ label: '5xx responses' }),
        responses.RefusedRequests.with({ label: 'refused' }),
        ...signals.flatMap(({ requests = [] }) => requests),
      ],
      fullWidth / 2,
    ),
    graph(
      'Latency, ms',
      ['p50', 'p99'].map((statistic) =>
        deploymentStage.metricLatency({ statistic, label: statistic }),
      ),
      fullWidth / 2,
    ),
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

function graph(title: string, left: IMetric[], width = fullWidth / 3): GraphWidget {
  return new GraphWidget({ title, left, width, height: 5 });
}
