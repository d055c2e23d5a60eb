import { Duration, Stack } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import {
  AlarmRule,
  CompositeAlarm,
  MathExpression,
  Metric,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Stage } from '../stageRules.ts';
import { runbookLink } from './AlarmTopic.ts';
import type { Firewall } from './Firewall.ts';
import type { ApiFunction } from './ServiceFunction.ts';
import {
  functionMetric,
  period,
  refusedRequests,
  type ServiceMonitoring,
  sum,
  throttleMetrics,
} from './ServiceMonitoring.ts';
import type { ServiceTable } from './ServiceTable.ts';

type Monitored = {
  api: RestApi;
  firewall: Firewall | undefined;
  stage: Stage;
  functions: readonly ApiFunction[];
  tables: readonly ServiceTable[];
  topic: ITopic;
};

/** Adds the alarms that need an operator at any hour: clients are or will be affected. */
export function addServiceAlarms(monitoring: ServiceMonitoring, monitored: Monitored): void {
  addErrorBudgetAlarm(monitoring, monitored);
  addApiAlarms(monitoring, monitored);
  for (const each of monitored.functions) {
    if (each.name !== 'fallback') addOperationAlarm(monitoring, each, monitored.stage);
  }
  addFunctionAlarms(monitoring);
  if (monitored.firewall) addFirewallAlarm(monitoring, monitored.firewall);
  addDataAlarm(monitoring, monitored.stage);
  for (const table of monitored.tables) {
    if (table.keepsItems) addDeletesAlarm(monitoring, table);
    if (table.isListed) addTableAlarms(monitoring, table);
  }
}

/** The objective: of the valid requests of 30 days, 99.9 % get a response below 500. The rest may fail. */
const errorBudget = 0.001;

/**
 * The rates that matter, from Google's “Site Reliability Workbook”, chapter “Alerting on SLOs”.
 *
 * At the fast rate the budget of 30 days is gone after two days, at the slow one after five. The long
 * window shows that enough is lost, the short one that it goes on: the alarm ends soon after the cause.
 */
const burns = [
  { name: 'FastBurn', rate: 14.4, long: Duration.hours(1), short: Duration.minutes(5) },
  { name: 'SlowBurn', rate: 6, long: Duration.hours(6), short: Duration.minutes(30) },
];

/** The fewest errors of a long window: one failed request of ten in a quiet night must wake no operator. */
const minErrors = 5;

/** One alarm on the service level objective, made of one part for each window. */
function addErrorBudgetAlarm(monitoring: ServiceMonitoring, { api, topic }: Monitored): void {
  const runbook = 'Error budget';
  const windowAlarm = (name: string, rate: number, window: Duration, errors: number) =>
    monitoring.addAlarm('Api', name, {
      impact: `Within ${window.toHumanString()}, errors used up the error budget at ${rate} times the rate that lasts 30 days.`,
      runbook,
      metric: new MathExpression({
        // A 4xx is not the service's error, and a flood of them must not hide errors.
        expression: `IF(errors >= ${errors}, errors / (requests - clientErrors) / ${errorBudget}, 0)`,
        usingMetrics: {
          errors: api.deploymentStage.metricServerError({ period: window }),
          clientErrors: api.deploymentStage.metricClientError({ period: window }),
          requests: api.deploymentStage.metricCount({ period: window }),
        },
        label: 'Burn rate of the error budget',
        period: window,
      }),
      threshold: rate,
      isPart: true,
    }).alarmRuleWhenAlarming;
  const { stackName } = Stack.of(monitoring);
  const alarm = new CompositeAlarm(monitoring, 'ErrorBudget', {
    compositeAlarmName: `${stackName}-Api-ErrorBudget`,
    alarmDescription: `Too many requests get a 5xx response: at this rate, fewer than 99.9 % of this month's valid requests succeed. ${runbookLink(runbook)}`,
    alarmRule: AlarmRule.anyOf(
      ...burns.map(({ name, rate, long, short }) =>
        AlarmRule.allOf(
          windowAlarm(`${name}Long`, rate, long, minErrors),
          windowAlarm(`${name}Short`, rate, short, 1),
        ),
      ),
    ),
  });
  alarm.addAlarmAction(new SnsAction(topic));
  alarm.addOkAction(new SnsAction(topic));
}

function addApiAlarms(monitoring: ServiceMonitoring, { api, stage }: Monitored): void {
  monitoring.addAlarm('Api', 'Latency', {
    impact: 'For 15 minutes the slowest 1 % of the requests have taken 2 seconds or longer.',
    runbook: 'Latency',
    metric: new MathExpression({
      // With fewer than 100 requests, p99 is the slowest request: a single cold start.
      expression: 'IF(requests >= 100, latency, 0)',
      usingMetrics: {
        latency: api.deploymentStage.metricLatency({ period, statistic: 'p99' }),
        requests: api.deploymentStage.metricCount({ period }),
      },
      label: 'Latency p99, ms',
      period,
    }),
    // A database attempt times out after 1.5 s, so a request of 2 s has lost one.
    threshold: 2000,
    periods: 3,
  });

  monitoring.addAlarm('Api', 'Refusals', {
    impact: 'For 15 minutes API Gateway or the firewall has refused 5 % of the requests or more.',
    runbook: 'Refused requests',
    metric: new MathExpression({
      expression: 'IF(requests >= 100, 100 * refused / requests, 0)',
      usingMetrics: {
        refused: refusedRequests(api, stage),
        requests: api.deploymentStage.metricCount({ period }),
      },
      label: 'Refused requests, %',
      period,
    }),
    // A short burst above a limit needs no operator, so three periods in a row.
    threshold: 5,
    periods: 3,
  });
}

/** The failures within a period that raise the alarm of an operation, if they are also this part of its requests. */
const outage = { failures: 5, percent: 5 };

/** An operation with a small part of the traffic may fail for ever without using up the error budget. */
function addOperationAlarm(
  monitoring: ServiceMonitoring,
  { name, function: each }: ApiFunction,
  stage: Stage,
): void {
  // A metric has no data while nothing fails.
  const failures = 'FILL(crashes, 0) + FILL(errors, 0)';
  monitoring.addAlarm(name, 'Failures', {
    impact: `In 10 of 15 minutes at least ${outage.percent} % of the requests of ${name} failed, and their clients got a 5xx response.`,
    runbook: 'Operation fails',
    metric: new MathExpression({
      expression: `IF(${failures} >= ${outage.failures}, 100 * (${failures}) / requests, 0)`,
      usingMetrics: {
        crashes: each.metricErrors({ period }),
        errors: functionMetric('Failures', stage, { operation: name }),
        requests: each.metricInvocations({ period }),
      },
      label: 'Failed requests, %',
      period,
    }),
    threshold: outage.percent,
    periods: 2,
    outOf: 3,
  });
}

function addDataAlarm(monitoring: ServiceMonitoring, stage: Stage): void {
  monitoring.addAlarm('Tables', 'DamagedData', {
    impact:
      'Within 5 minutes a request met a damaged item or API key, or the id counter was behind the stored items. Lists lack the item, and clients with the key get 401.',
    runbook: 'Damaged data',
    metric: functionMetric('DamagedData', stage, {}),
    threshold: 1,
  });
}

function addFirewallAlarm(monitoring: ServiceMonitoring, { allowedRequests }: Firewall): void {
  monitoring.addAlarm('Firewall', 'Detached', {
    impact:
      'For 10 minutes the firewall has seen no request, not even the heartbeat. One client may use up the rate of all.',
    runbook: 'Firewall detached',
    metric: allowedRequests.with({ period }),
    isRequired: true,
    threshold: 1,
    periods: 2,
  });
}

/**
 * An alarm for deletes by hand or by a script. Time to live does not count as one.
 *
 * It does not see PartiQL and transactions.
 */
function addDeletesAlarm(monitoring: ServiceMonitoring, table: ServiceTable): void {
  const { id } = table.node;
  const requests = ['DeleteItem', 'BatchWriteItem'].map((operation) =>
    table.metric('SuccessfulRequestLatency', {
      dimensionsMap: { TableName: table.tableName, Operation: operation },
      // Of this metric, it is the number of requests.
      statistic: Stats.SAMPLE_COUNT,
      period,
    }),
  );
  monitoring.addAlarm(id, 'Deletes', {
    impact: `Within 5 minutes items of the table ${id} were deleted, which no operation does. Clients miss them.`,
    runbook: 'Deleted items',
    metric: sum('Deletes', requests),
    threshold: 1,
    outOf: 2,
  });
}

function addFunctionAlarms(monitoring: ServiceMonitoring): void {
  const ofAccount = (metricName: string, statistic = 'Maximum') =>
    new Metric({ namespace: 'AWS/Lambda', metricName, statistic, period });
  monitoring.addAlarm('Functions', 'Throttles', {
    impact:
      'Within 5 minutes Lambda throttled at least 10 invocations in this account and Region. Each throttled request got a 5xx response.',
    runbook: 'Function throttles',
    // No function reserves concurrency, so all of them share the limit of the account.
    metric: ofAccount('Throttles', 'Sum'),
    threshold: 10,
    outOf: 2,
  });

  monitoring.addAlarm('Functions', 'Concurrency', {
    impact:
      'The functions of this account and Region use 80 % of its concurrency. At 100 % Lambda throttles requests.',
    runbook: 'Function throttles',
    metric: new MathExpression({
      // CloudWatch knows the quota of the second metric only. The first includes reserved concurrency.
      expression: '100 * claimed / SERVICE_QUOTA(executions)',
      usingMetrics: {
        claimed: ofAccount('ClaimedAccountConcurrency'),
        executions: ofAccount('ConcurrentExecutions'),
      },
      label: 'Used concurrency, %',
      period,
    }),
    threshold: 80,
    outOf: 2,
  });
}

/** The causes for which DynamoDB throttles an on-demand table, by the names in its metrics. */
const throttleCauses = [
  {
    name: 'Ceiling',
    cause: 'MaxOnDemandThroughput',
    text: 'it reached the ceiling of the stage',
  },
  { name: 'HotPartition', cause: 'KeyRangeThroughput', text: 'one partition got too much of it' },
];

/**
 * Alarms for a table with lists. Only such a table can be throttled while the settings keep their rule.
 *
 * The rule knows the cost of a list from items of typical size, and all items of a list come from few
 * partitions. The items of other tables are read and written one by one, with a largest size, and their
 * keys spread over all partitions.
 */
function addTableAlarms(monitoring: ServiceMonitoring, table: ServiceTable): void {
  const { id } = table.node;
  for (const { name, cause, text } of throttleCauses) {
    monitoring.addAlarm(id, name, {
      impact: `Within 5 minutes DynamoDB throttled at least 10 reads or writes of the table ${id}, because ${text}. Requests get slow, then fail with 503.`,
      runbook: 'Table throttles',
      metric: sum('Throttles', table.metricsWithIndexes(throttleMetrics(cause), period)),
      // The SDK retries throttled calls, so clients do not notice a few.
      threshold: 10,
      outOf: 2,
    });
  }
}
