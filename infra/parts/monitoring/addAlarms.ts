import { CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import { MathExpression, type Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { ApiFunction } from '../../core/ServiceFunction.ts';
import { heartbeatAlarmOutput, releaseAlarmOutput } from '../../core/stackNames.ts';
import type { ResponseMetrics } from './addResponseMetrics.ts';
import { heartbeatQuery } from './Heartbeat.ts';
import { failuresOf, type Monitored } from './metrics.ts';
import { type AlarmProps, type Receivers, ServiceAlarm } from './ServiceAlarm.ts';

/**
 * Adds the alarms on what clients meet, whose causes the dashboard shows. An alarm is urgent if an operator who
 * is woken at night can do something about it.
 */
export function addAlarms(
  scope: Construct,
  { stage, functions, api, responses, heartbeat, daysToExpiry }: Monitored,
  receivers: Receivers,
): ServiceAlarm[] {
  const add = (props: AlarmProps) => new ServiceAlarm(scope, props, receivers);

  const release = add({
    name: 'Api-Release',
    impact:
      'Within 5 minutes at least 3 requests, and 1 % of the requests without 4xx, got a 5xx response. A release that runs is rolled back.',
    query: 'Failed requests',
    section: 'A release',
    metric: failedPercent(responses, 3),
    threshold: 1,
  });
  const liveness = add({
    name: 'Service-Heartbeat',
    impact:
      'For 5 minutes no heartbeat has succeeded: an operation does not respond as it promises, limits refuse all requests, or the heartbeat has stopped. It calls operations only, no other path. A release that runs is rolled back.',
    query: heartbeatQuery,
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

  // CloudFormation monitors these two during a release of `npm run deploy`.
  new CfnOutput(Stack.of(scope), releaseAlarmOutput, { value: release.alarmArn });
  new CfnOutput(Stack.of(scope), heartbeatAlarmOutput, { value: liveness.alarmArn });

  return [
    release,
    liveness,
    add({
      name: 'Api-Failures',
      impact:
        'In 2 of 3 periods of 5 minutes at least 5 requests, and 1 % of the requests without 4xx, got a 5xx response. The periods slide, so failures of 2 minutes are enough.',
      query: 'Failed requests',
      section: 'Requests fail',
      urgency: 'high',
      metric: failedPercent(responses, 5),
      threshold: 1,
      periods: 2,
      outOf: 3,
    }),
    ...functions
      .filter(({ name }) => name !== 'fallback')
      .map((each) => add(operationFailures(each, stage.name))),
    add({
      name: 'Api-SlowFailures',
      impact:
        'Within 6 hours at least 5 requests, and 0.6 % of the requests without 4xx, got a 5xx response. This alarm may last 6 hours longer than its cause.',
      query: 'Failed requests',
      section: 'Requests fail',
      urgency: 'low',
      metric: failedPercent(responses, 5, Duration.hours(6)),
      // Six times what an availability of 99.9 % allows, so 6 hours use up 5 % of a month's allowance.
      threshold: 0.6,
    }),
    add({
      name: 'Api-Latency',
      impact: 'For 15 minutes the slowest 1 % of the requests have taken 2 seconds or longer.',
      query: 'Latency of operations',
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
        'For 15 minutes API Gateway and the firewall have refused 5 % of the requests or more with 429, other 4xx not counted.',
      query: 'Refused requests',
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
    ...(daysToExpiry ? [add(certificateExpiry(daysToExpiry))] : []),
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
 * The alarm of an operation that fails while the others hide it from `Api-Failures`, or while few requests arrive.
 *
 * Requests without a valid key count too, so a flood of them hides failures. `Api-Refusals` tells of a flood that
 * limits refuse. The heartbeat counts as 60 requests an hour, so up to 40 requests of clients, 5 failures are enough.
 */
function operationFailures(operation: ApiFunction, stageName: string): AlarmProps {
  const { failed, requests, usingMetrics } = failuresOf(operation, stageName);
  const { name } = operation;
  return {
    name: `${name}-Failures`,
    impact: `Within an hour at least 5 requests of ${name}, and 5 % of all that reached its function, crashed it or got a 5xx response from it. Requests without a valid key count, so a flood of them can hide failures.`,
    query: 'Causes of failures',
    section: 'Requests fail',
    urgency: 'high',
    metric: new MathExpression({
      label: 'Failed requests, %',
      expression: `IF(${failed} >= 5, 100 * ${failed} / ${requests}, 0)`,
      usingMetrics,
      period: Duration.hours(1),
    }),
    threshold: 5,
  };
}

/** Without new data the alarm is off: a certificate has none on its first day, nor after it has expired. */
function certificateExpiry(days: Metric): AlarmProps {
  return {
    name: 'Domain-Certificate',
    impact: 'The certificate of the domain expires within 30 days.',
    section: 'Heartbeat',
    urgency: 'low',
    metric: new MathExpression({
      label: 'Certificate expires soon',
      expression: 'IF(days < 30, 1, 0)',
      usingMetrics: { days },
      period: Duration.days(1),
    }),
    threshold: 1,
  };
}
