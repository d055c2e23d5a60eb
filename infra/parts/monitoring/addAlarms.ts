import { CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import { MathExpression, type Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { heartbeatAlarmOutput, releaseAlarmOutput } from '../../core/stackNames.ts';
import type { ResponseMetrics } from './addResponseMetrics.ts';
import { changesByHand, type Monitored } from './metrics.ts';
import { type AlarmProps, type Receivers, ServiceAlarm } from './ServiceAlarm.ts';

/**
 * Adds the alarms: on what clients meet, whose causes the dashboard shows, and on data that somebody
 * changed by hand. An alarm is urgent if an operator who is woken at night can do something about it.
 */
export function addAlarms(
  scope: Construct,
  { stage, tables, api, responses, heartbeat }: Monitored,
  receivers: Receivers,
): ServiceAlarm[] {
  const add = (props: AlarmProps) => new ServiceAlarm(scope, props, receivers);

  const release = add({
    name: 'Api-Release',
    impact:
      'Within 5 minutes at least 3 requests, and 1 % of all, got a 5xx response. A release that runs is rolled back.',
    section: 'A release',
    metric: failedPercent(responses, 3),
    threshold: 1,
  });
  const liveness = add({
    name: 'Service-Heartbeat',
    impact:
      'For 5 minutes no heartbeat has succeeded: an operation does not respond as it promises, or the heartbeat has stopped. A release that runs is rolled back.',
    section: 'Heartbeat',
    urgency: 'high',
    metric: new MathExpression({
      label: 'Successful heartbeats',
      expression: 'FILL(runs, 0) - FILL(failures, 0)',
      usingMetrics: {
        runs: heartbeat.function.metricInvocations(),
        failures: heartbeat.function.metricErrors(),
      },
    }),
    // One run of five is enough, so neither a failed run nor data that are three minutes late set it off.
    isRequired: true,
    threshold: 1,
  });

  // CloudFormation watches these two during a release of `npm run deploy`.
  new CfnOutput(Stack.of(scope), releaseAlarmOutput, { value: release.alarmArn });
  new CfnOutput(Stack.of(scope), heartbeatAlarmOutput, { value: liveness.alarmArn });

  return [
    release,
    liveness,
    add({
      name: 'Api-Failures',
      impact:
        'In 2 of 3 periods of 5 minutes at least 5 requests, and 1 % of all, got a 5xx response.',
      section: 'Requests fail',
      urgency: 'high',
      metric: failedPercent(responses, 5),
      threshold: 1,
      periods: 2,
      outOf: 3,
    }),
    add({
      name: 'Api-SlowFailures',
      impact:
        'Within 6 hours at least 5 requests, and 0.6 % of all, got a 5xx response. This alarm may last 6 hours longer than its cause.',
      section: 'Requests fail',
      urgency: 'low',
      metric: failedPercent(responses, 5, Duration.hours(6)),
      threshold: 0.6,
    }),
    add({
      name: 'Api-Latency',
      impact: 'For 15 minutes the slowest 1 % of the requests have taken 2 seconds or longer.',
      section: 'Latency',
      urgency: 'high',
      // With fewer than 100 requests, p99 is the slowest request, which may be a single cold start.
      metric: new MathExpression({
        label: 'Latency p99, ms',
        expression: 'IF(requests >= 100, latency, 0)',
        usingMetrics: {
          latency: api.deploymentStage.metricLatency({ statistic: 'p99' }),
          requests: api.deploymentStage.metricCount(),
        },
      }),
      // A database attempt times out after 1.5 s, so a request that takes 2 s has lost an attempt.
      threshold: 2000,
      periods: 3,
    }),
    add({
      name: 'Api-Refusals',
      impact:
        'For 15 minutes API Gateway has refused 5 % of the requests or more with 429, other 4xx not counted.',
      section: 'Refused requests',
      urgency: 'low',
      metric: new MathExpression({
        label: 'Refused requests, %',
        expression: 'IF(valid + refused >= 100, 100 * refused / (valid + refused), 0)',
        // Both counts are from the log, because the gateway's own count arrives earlier.
        usingMetrics: { refused: responses.RefusedRequests, valid: responses.ValidRequests },
      }),
      // A short burst above a limit needs no operator, so three periods in a row.
      threshold: 5,
      periods: 3,
    }),
    add({
      name: 'Tables-Changed',
      impact:
        'Within 5 minutes requests met damaged data, or items were deleted, which no operation does: somebody wrote to the tables. Clients miss pets, or get 401 for their key.',
      section: 'Changed data',
      urgency: 'low',
      metric: sum('Changes', changesByHand(stage.name, tables)),
      threshold: 1,
      outOf: 2,
    }),
  ];
}

/**
 * The failed requests in percent of the valid ones, and 0 for fewer failures than the minimum: in a
 * quiet night, one failed request of ten must neither wake an operator nor roll a release back.
 */
function failedPercent(
  { FailedRequests: failed, ValidRequests: valid }: ResponseMetrics,
  minFailures: number,
  period = Duration.minutes(5),
): MathExpression {
  return new MathExpression({
    label: 'Failed requests, %',
    expression: `IF(failed >= ${minFailures}, 100 * failed / valid, 0)`,
    usingMetrics: { failed, valid },
    period,
  });
}

/**
 * Adds up metrics that have data only when something happens. Without FILL, there is no sum if one
 * of them has no data.
 *
 * With FILL, a period counts as 0 until its data arrive. So an alarm on a sum also evaluates the
 * previous period (`outOf`). Otherwise it would never see late data.
 */
function sum(label: string, metrics: readonly Metric[]): MathExpression {
  const byId = metrics.map((metric, index) => [`m${index}`, metric] as const);
  return new MathExpression({
    label,
    expression: byId.map(([id]) => `FILL(${id}, 0)`).join(' + '),
    usingMetrics: Object.fromEntries(byId),
  });
}
