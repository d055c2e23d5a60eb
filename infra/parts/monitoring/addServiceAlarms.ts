import { CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import { AlarmRule, CompositeAlarm, type MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { ApiFunction } from '../../core/ServiceFunction.ts';
import { failedPercent, functionMetric, metricMath } from '../../core/serviceMetrics.ts';
import { releaseAlarmOutput } from '../../core/stackNames.ts';
import { addTableAlarms } from './addTableAlarms.ts';
import type { Monitored, ServiceMonitoring } from './ServiceMonitoring.ts';

/**
 * Adds the alarms that need an operator: clients are or will be affected.
 *
 * The urgency of an alarm is low if an operator who is woken at night can do nothing before the morning.
 */
export function addServiceAlarms(monitoring: ServiceMonitoring, monitored: Monitored): void {
  addErrorBudgetAlarms(monitoring, monitored);
  addReleaseAlarm(monitoring, monitored);
  addApiAlarms(monitoring, monitored);
  for (const { alarms = [] } of monitored.signals) {
    for (const each of alarms) monitoring.addAlarm(each);
  }
  addOperationAlarms(monitoring, monitored);
  addConcurrencyAlarm(monitoring);
  addTableAlarms(monitoring, monitored);
}

/** The objective: of the valid requests of 30 days, 99.9 % get a response below 500. The rest may fail. */
const errorBudget = 0.001;

/**
 * The rates that matter, from Google's “Site Reliability Workbook”, chapter “Alerting on SLOs”.
 *
 * At the fast rate, the budget of 30 days is used up after two days. At the slow rate, it is used up after five.
 * The long window shows that enough of the budget is lost. The short window shows that the loss continues, so
 * the alarm ends soon after its cause.
 */
const burnRates = [
  {
    name: 'FastBurn',
    urgency: 'high',
    rate: 14.4,
    long: Duration.hours(1),
    short: Duration.minutes(5),
  },
  {
    name: 'SlowBurn',
    urgency: 'low',
    rate: 6,
    long: Duration.hours(6),
    short: Duration.minutes(30),
  },
] as const;

/** The fewest errors in a long window. In a quiet night, one failed request of ten must not wake an operator. */
const minErrors = 5;

/** An alarm on the service level objective for each rate, made of one part for each window. */
function addErrorBudgetAlarms(monitoring: ServiceMonitoring, { responses }: Monitored): void {
  const runbook = 'Error budget';
  const windowAlarm = (name: string, rate: number, window: Duration, errors: number) =>
    monitoring.addAlarm({
      name: `Api-${name}`,
      impact: `Within ${window.toHumanString()}, errors used up the error budget at ${rate} times the rate that lasts 30 days.`,
      runbook,
      metric: metricMath(
        'Burn rate of the error budget',
        `IF(errors >= ${errors}, errors / valid / ${errorBudget}, 0)`,
        { errors: responses.FailedRequests, valid: responses.ValidRequests },
        window,
      ),
      threshold: rate,
    });
  const { stackName } = Stack.of(monitoring);
  for (const { name, urgency, rate, long, short } of burnRates) {
    const alarm = new CompositeAlarm(monitoring, name, {
      compositeAlarmName: `${stackName}-Api-${name}`,
      alarmDescription: monitoring.message(
        `Too many requests get a 5xx response: at this rate, the errors that are allowed in 30 days are used up after ${Math.round(30 / rate)} days.`,
        runbook,
        urgency,
      ),
      alarmRule: AlarmRule.allOf(
        windowAlarm(`${name}Long`, rate, long, minErrors),
        windowAlarm(`${name}Short`, rate, short, 1),
      ),
    });
    monitoring.notify(alarm, urgency);
  }
}

/** A release is rolled back if this number and this percentage of its requests fail within five minutes. */
const badRelease = { failures: 3, percent: 1 };

/**
 * Adds the alarm that CloudFormation watches during a release of `npm run deploy`, and outputs its ARN.
 *
 * In a quiet night, a single error of a client must not roll a release back, as it would with the short window of
 * `FastBurn`.
 */
function addReleaseAlarm(monitoring: ServiceMonitoring, { responses }: Monitored): void {
  const alarm = monitoring.addAlarm({
    name: 'Api-Release',
    impact: `Within 5 minutes at least ${badRelease.failures} requests, and ${badRelease.percent} % of all, got a 5xx response. A release that runs is rolled back.`,
    runbook: 'Release failed',
    metric: metricMath(
      'Failed requests, %',
      `IF(errors >= ${badRelease.failures}, 100 * errors / valid, 0)`,
      { errors: responses.FailedRequests, valid: responses.ValidRequests },
    ),
    threshold: badRelease.percent,
  });
  const output = new CfnOutput(monitoring, 'ReleaseAlarm', { value: alarm.alarmArn });
  output.overrideLogicalId(releaseAlarmOutput);
}

function addApiAlarms(monitoring: ServiceMonitoring, { api, responses }: Monitored): void {
  monitoring.addAlarm({
    name: 'Api-Latency',
    impact: 'For 15 minutes the slowest 1 % of the requests have taken 2 seconds or longer.',
    runbook: 'Latency',
    urgency: 'high',
    // With fewer than 100 requests, p99 is the slowest request, which may be a single cold start.
    metric: metricMath('Latency p99, ms', 'IF(requests >= 100, latency, 0)', {
      latency: api.deploymentStage.metricLatency({ statistic: 'p99' }),
      requests: api.deploymentStage.metricCount(),
    }),
    // A database attempt times out after 1.5 s, so a request that takes 2 s has lost an attempt.
    threshold: 2000,
    periods: 3,
  });
  monitoring.addAlarm({
    name: 'Api-Refusals',
    impact:
      'For 15 minutes API Gateway has refused 5 % of the requests or more with 429, other 4xx not counted.',
    runbook: 'Refused requests',
    urgency: 'low',
    metric: metricMath(
      'Refused requests, %',
      'IF(valid + refused >= 100, 100 * refused / (valid + refused), 0)',
      // Both counts are from the log. The gateway's own count arrives earlier, so the share would be too low.
      { refused: responses.RefusedRequests, valid: responses.ValidRequests },
    ),
    // A short burst above a limit needs no operator, so three periods in a row.
    threshold: 5,
    periods: 3,
  });
}

/** The alarm of an operation goes off if this number and this percentage of its requests fail within a period. */
const outage = { failures: 5, percent: 5 };

/** An operation with a small part of the traffic may fail for ever without using up the error budget. */
function addOperationAlarms(monitoring: ServiceMonitoring, { functions, stage }: Monitored): void {
  for (const each of functions) {
    const { name } = each;
    // The clients of the fallback ask for what does not exist. Its errors count for the error budget only.
    if (name === 'fallback') continue;
    monitoring.addAlarm({
      name: `${name}-Failures`,
      impact: `In 10 of 15 minutes at least ${outage.percent} % of the requests of ${name} failed, and their clients got a 5xx response.`,
      runbook: 'Operation fails',
      urgency: 'high',
      metric: failedOfOperation(each, stage.name, outage.failures),
      threshold: outage.percent,
      periods: 2,
      outOf: 3,
    });
  }
}

/** The failed requests of an operation in percent, as `failedPercent` counts them. */
export function failedOfOperation(
  { name, function: each }: ApiFunction,
  stageName: string,
  minFailures: number,
  graphName?: string,
): MathExpression {
  const metrics = {
    crashes: each.metricErrors(),
    errors: functionMetric('Failures', stageName, { operation: name }),
    requests: each.metricInvocations(),
  };
  return failedPercent(minFailures, metrics, graphName);
}

/**
 * No function reserves concurrency, so all functions of the account and Region share its limit. Above it, requests get
 * a 5xx, which the error budget counts.
 */
function addConcurrencyAlarm(monitoring: ServiceMonitoring): void {
  const accountMetric = (metricName: string) =>
    new Metric({ namespace: 'AWS/Lambda', metricName, statistic: 'Maximum' });
  monitoring.addAlarm({
    name: 'Functions-Concurrency',
    impact:
      'The functions of this account and Region use 80 % of its concurrency. At 100 % Lambda throttles requests.',
    runbook: 'Function throttles',
    urgency: 'low',
    // `ClaimedAccountConcurrency` includes reserved concurrency, but CloudWatch does not know its quota.
    metric: metricMath('Used concurrency, %', '100 * claimed / SERVICE_QUOTA(executions)', {
      claimed: accountMetric('ClaimedAccountConcurrency'),
      executions: accountMetric('ConcurrentExecutions'),
    }),
    threshold: 80,
    outOf: 2,
  });
}
