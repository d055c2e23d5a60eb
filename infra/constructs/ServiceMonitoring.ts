import { type Duration, Stack } from 'aws-cdk-lib';
import type { IRestApi, RestApi } from 'aws-cdk-lib/aws-apigateway';
import {
  ComparisonOperator,
  type IMetric,
  MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import {
  type AlarmWithAnnotation,
  DefaultDashboardFactory,
  type MetricWithAlarmSupport,
  MonitoringFacade,
  noopAction,
  notifySns,
} from 'cdk-monitoring-constructs';
import type { Construct } from 'constructs';
import { type MetricName, metricDimensions, metricNamespace } from '../../lib/metrics.ts';
import { serviceName } from '../../lib/operations.ts';
import type { Stage } from '../stageRules.ts';
import { runbookLink } from './AlarmTopic.ts';
import type { Firewall } from './Firewall.ts';
import type { ApiFunction } from './ServiceFunction.ts';
import type { ServiceTable } from './ServiceTable.ts';

export type Monitored = {
  stage: Stage;
  api: RestApi;
  firewall: Firewall | undefined;
  functions: readonly ApiFunction[];
  tables: readonly ServiceTable[];
  topic: ITopic;
};

type AlarmProps = {
  /** One or two sentences for an operator on call: the problem, and who is affected. */
  impact: string;
  /** The heading in the runbook. */
  runbook: string;
  metric: MetricWithAlarmSupport;
  /** The alarm goes off when the metric reaches this value … */
  threshold: number;
  /** … in this number of periods … */
  periods?: number;
  /** … out of this number. By default the periods must be consecutive. */
  outOf?: number;
  /** Whether the metric must reach the threshold: the alarm goes off below it, and without data. */
  isRequired?: boolean;
  /** Whether the alarm is only part of a composite alarm, and tells no operator. */
  isPart?: boolean;
};

/**
 * The dashboard of a stage, and the factory of its alarms.
 *
 * A metric without a period of its own has five minutes, the default of the CDK.
 */
export class ServiceMonitoring extends MonitoringFacade {
  constructor(scope: Construct, id: string, props: Monitored) {
    const { stackName } = Stack.of(scope);
    super(scope, id, {
      alarmFactoryDefaults: {
        alarmNamePrefix: stackName,
        actionsEnabled: true,
        action: notifySns(props.topic, props.topic),
      },
      dashboardFactory: new DefaultDashboardFactory(scope, `${id}Dashboard`, {
        dashboardNamePrefix: `${stackName}-service`,
      }),
    });
    this.addGraphs(props);
  }

  /** Adds an alarm that says what is wrong, who is affected and which runbook section to read. */
  addAlarm(of: string, name: string, props: AlarmProps): AlarmWithAnnotation {
    const { impact, runbook, metric, threshold, isRequired, isPart } = props;
    const { periods = 1, outOf = periods } = props;
    return this.createAlarmFactory(of).addAlarm(metric, {
      alarmNameSuffix: name,
      alarmDescription: `${impact} ${runbookLink(runbook)}`,
      threshold,
      comparisonOperator: isRequired
        ? ComparisonOperator.LESS_THAN_THRESHOLD
        : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: outOf,
      datapointsToAlarm: periods,
      // A service without requests is not broken.
      treatMissingData: isRequired ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
      ...(isPart && { actionOverride: noopAction() }),
    });
  }

  private addGraphs({ stage, api, firewall, functions, tables }: Monitored): void {
    this.monitorApiGateway({
      // For `exactOptionalPropertyTypes`: the CDK declares `latestDeployment` in two ways.
      api: api as IRestApi,
      apiStage: stage.name,
      humanReadableName: 'API',
    });
    this.monitorCustom({
      humanReadableName: 'Refusals and errors',
      alarmFriendlyName: 'Refusals',
      metricGroups: [
        {
          title: 'Requests at the gateway, and those that reached no function',
          metrics: [
            api.deploymentStage.metricCount({ label: 'requests' }),
            refusedRequests(api, stage),
            ...(firewall ? [firewall.blockedRequests.with({ label: 'blocked' })] : []),
          ],
        },
        { title: 'Errors by code', metrics: [search('Errors', stage)] },
        {
          title: '5xx responses other than 503, by version',
          metrics: [search('ServerErrors', stage)],
        },
      ],
    });
    this.monitorCustom({
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
    this.monitorCustom({
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
}

/** Returns metric math. Its period is also that of its metrics. */
export function metricMath(
  label: string,
  expression: string,
  usingMetrics: Record<string, IMetric>,
  period?: Duration,
): MathExpression {
  return new MathExpression({ label, expression, usingMetrics, ...(period && { period }) });
}

/** The requests that the gateway refused itself: throttled, blocked by the firewall, or not understood. */
export function refusedRequests(api: RestApi, stage: Stage): MathExpression {
  return metricMath(
    'refused',
    // One metric of all functions: an expression of an alarm takes 10 metrics at most.
    // Not MAX, which takes no number beside a time series.
    'IF(clientErrors > FILL(ofFunctions, 0), clientErrors - FILL(ofFunctions, 0), 0)',
    {
      clientErrors: api.deploymentStage.metricClientError(),
      ofFunctions: functionMetric('ClientErrors', stage, {}),
    },
  );
}

/** The failed requests in percent, and 0 for fewer failures than the minimum. */
export function failedPercent(
  minFailures: number,
  metrics: Record<'crashes' | 'errors' | 'requests', Metric>,
): MathExpression {
  // A metric has no data while nothing fails.
  const failures = 'FILL(crashes, 0) + FILL(errors, 0)';
  const percent = `IF(${failures} >= ${minFailures}, 100 * (${failures}) / requests, 0)`;
  return metricMath('Failed requests, %', percent, metrics);
}

/** A metric that the functions publish. CloudWatch has data only under the full set of dimensions. */
export function functionMetric<Name extends MetricName>(
  metricName: Name,
  stage: Stage,
  dimensions: Record<Exclude<(typeof metricDimensions)[Name][number], 'service' | 'stage'>, string>,
): Metric {
  return new Metric({
    namespace: metricNamespace,
    metricName,
    dimensionsMap: { service: serviceName, stage: stage.name, ...dimensions },
    statistic: 'Sum',
  });
}

/** DynamoDB's metrics of throttled reads and writes, by their cause. */
export function throttleMetrics(cause: string): string[] {
  return ['Read', 'Write'].map((kind) => `${kind}${cause}ThrottleEvents`);
}

/**
 * Adds up metrics that have data only when something fails: without FILL, one metric without data
 * leaves no sum.
 *
 * With FILL, a period whose data arrives late first counts as 0. So the alarms on a sum also evaluate
 * the period before (`outOf`), or they would never see late data.
 */
export function sum(label: string, metrics: readonly Metric[]): MathExpression {
  return metricMath(
    label,
    metrics.map((_, index) => `FILL(m${index}, 0)`).join(' + '),
    Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric])),
  );
}

/** Every series of a metric in this stage, for dimensions whose values are not known in advance. */
function search(metricName: MetricName, stage: Stage): MathExpression {
  const schema = [metricNamespace, ...metricDimensions[metricName]].join(',');
  const query = `{${schema}} MetricName="${metricName}" stage="${stage.name}"`;
  return metricMath(' ', `SEARCH('${query}', 'Sum', 300)`, {});
}
