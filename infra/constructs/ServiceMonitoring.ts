import { Duration, Stack } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import {
  AlarmBase,
  type CfnAlarm,
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
import { type MetricName, type metricDimensions, metricNamespace } from '../../lib/metrics.ts';
import { serviceName } from '../../lib/operations.ts';
import type { Stage } from '../stageSchema.ts';
import type { ResponseMetrics } from './AccessLog.ts';
import { operatorMessage, runbookLink, type Urgency } from './AlarmTopic.ts';
import type { Firewall } from './Firewall.ts';
import type { ApiFunction } from './ServiceFunction.ts';
import type { ServiceTable } from './ServiceTable.ts';

export type Monitored = {
  stage: Stage;
  api: RestApi;
  responses: ResponseMetrics;
  firewall: Firewall | undefined;
  functions: readonly ApiFunction[];
  tables: readonly ServiceTable[];
  topics: Record<Urgency, ITopic>;
};

type AlarmProps = {
  /** One or two sentences for an operator on call: the problem, and who is affected. */
  impact: string;
  /** The heading in the runbook. */
  runbook: string;
  /** Absent: the alarm is only part of a composite alarm, and tells no operator. */
  urgency?: Urgency;
  metric: MetricWithAlarmSupport;
  /** The alarm goes off when the metric reaches this value … */
  threshold: number;
  /** … in this number of periods … */
  periods?: number;
  /** … out of this number. By default the periods must be consecutive. */
  outOf?: number;
  /**
   * Whether the metric must reach the threshold. If so, the alarm goes off below the threshold and without data.
   *
   * The metric's expression needs FILL. Otherwise CloudWatch replaces a missing period by an older one, and the
   * alarm is late.
   */
  isRequired?: boolean;
};

/**
 * The dashboard of a stage, which `addDashboardWidgets` fills, and the factory of its alarms.
 *
 * A metric without a period of its own has five minutes, the default of the CDK.
 */
export class ServiceMonitoring extends MonitoringFacade {
  readonly #topics: Monitored['topics'];
  readonly #parts = new Set<AlarmBase>();

  constructor(scope: Construct, id: string, { topics }: Monitored) {
    const { stackName } = Stack.of(scope);
    super(scope, id, {
      alarmFactoryDefaults: { alarmNamePrefix: stackName, actionsEnabled: true },
      dashboardFactory: new DefaultDashboardFactory(scope, `${id}Dashboard`, {
        dashboardNamePrefix: `${stackName}-service`,
        detailDashboardRange: Duration.hours(3),
      }),
    });
    this.#topics = topics;
  }

  /** Adds an alarm that says what is wrong, who is affected and which runbook section to read. */
  addAlarm(of: string, name: string, props: AlarmProps): AlarmWithAnnotation {
    const { impact, runbook, urgency, metric, threshold, isRequired } = props;
    const { periods = 1, outOf = periods } = props;
    const topic = urgency && this.#topics[urgency];
    const added = this.createAlarmFactory(of).addAlarm(metric, {
      alarmNameSuffix: name,
      alarmDescription: urgency
        ? operatorMessage(impact, urgency, runbook)
        : `${impact} ${runbookLink(runbook)}`,
      threshold,
      comparisonOperator: isRequired
        ? ComparisonOperator.LESS_THAN_THRESHOLD
        : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: outOf,
      datapointsToAlarm: periods,
      // A service without requests is not broken.
      treatMissingData: isRequired ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
      actionOverride: topic ? notifySns(topic, topic) : noopAction(),
    });
    if (!topic) this.#parts.add(added.alarm);
    // While the stack is created, there is no data, and the API does not respond yet.
    if (isRequired) setWarmUp(added.alarm, Duration.minutes(15));
    return added;
  }

  /** All alarms of the stack so far, except for the parts of composite alarms. */
  get alarms(): AlarmBase[] {
    const constructs = Stack.of(this).node.findAll();
    const alarms = constructs.filter((each) => each instanceof AlarmBase);
    return alarms.filter((each) => !this.#parts.has(each));
  }
}

/** Delays the first state and message of an alarm. `Alarm` has no property for this setting yet. */
function setWarmUp(alarm: AlarmBase, warmUp: Duration): void {
  (alarm.node.defaultChild as CfnAlarm).warmUpConfiguration = {
    warmUpPeriodDurationInMinutes: warmUp.toMinutes(),
    // By default the first data end the warm-up, and FILL gives the expression data at once.
    onlyStartEvaluatingAfterWarmUpPeriodEnds: true,
  };
}

/** Returns metric math. The period also applies to its metrics. */
export function metricMath(
  label: string,
  expression: string,
  usingMetrics: Record<string, IMetric>,
  period?: Duration,
): MathExpression {
  return new MathExpression({ label, expression, usingMetrics, ...(period && { period }) });
}

/**
 * The failed requests in percent, and 0 for fewer failures than the minimum.
 *
 * In a graph of several expressions, each needs a name. The name is the label, and makes the ids of the metrics
 * unique.
 */
export function failedPercent(
  minFailures: number,
  { crashes, errors, requests }: Record<'crashes' | 'errors' | 'requests', Metric>,
  name = '',
): MathExpression {
  // A metric has no data while nothing fails.
  const failures = `FILL(crashes${name}, 0) + FILL(errors${name}, 0)`;
  const percent = `IF(${failures} >= ${minFailures}, 100 * (${failures}) / requests${name}, 0)`;
  return metricMath(name || 'Failed requests, %', percent, {
    [`crashes${name}`]: crashes,
    [`errors${name}`]: errors,
    [`requests${name}`]: requests,
  });
}

/** The failed requests of an operation in percent, as `failedPercent` counts them. */
export function failedOfOperation(
  { name, function: each }: ApiFunction,
  stage: Stage,
  minFailures: number,
  graphName?: string,
): MathExpression {
  const metrics = {
    crashes: each.metricErrors(),
    errors: functionMetric('Failures', stage, { operation: name }),
    requests: each.metricInvocations(),
  };
  return failedPercent(minFailures, metrics, graphName);
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
 * Adds up metrics that have data only when something fails. Without FILL, there is no sum if one of the metrics
 * has no data.
 *
 * With FILL, a period counts as 0 until its data arrive. So alarms on a sum also evaluate the previous period
 * (`outOf`). Otherwise they would never see late data.
 */
export function sum(label: string, metrics: readonly Metric[]): MathExpression {
  return metricMath(
    label,
    metrics.map((_, index) => `FILL(m${index}, 0)`).join(' + '),
    Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric])),
  );
}
