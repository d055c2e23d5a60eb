import { Duration, Stack } from 'aws-cdk-lib';
import { AlarmRule, CompositeAlarm, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { runbookLink } from './AlarmTopic.ts';
import {
  failedPercent,
  functionMetric,
  type Monitored,
  metricMath,
  refusedRequests,
  type ServiceMonitoring,
  sum,
  throttleMetrics,
} from './ServiceMonitoring.ts';
import type { ServiceTable } from './ServiceTable.ts';

/** Adds the alarms that need an operator at any hour: clients are or will be affected. */
export function addServiceAlarms(monitoring: ServiceMonitoring, monitored: Monitored): void {
  addErrorBudgetAlarm(monitoring, monitored);
  addApiAlarms(monitoring, monitored);
  addOperationAlarms(monitoring, monitored);
  addConcurrencyAlarms(monitoring);
  addDataAlarms(monitoring, monitored);
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
      metric: metricMath(
        'Burn rate of the error budget',
        // A 4xx is not the service's error, and a flood of them must not hide errors.
        `IF(errors >= ${errors}, errors / (requests - clientErrors) / ${errorBudget}, 0)`,
        {
          errors: api.deploymentStage.metricServerError(),
          clientErrors: api.deploymentStage.metricClientError(),
          requests: api.deploymentStage.metricCount(),
        },
        window,
      ),
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

function addApiAlarms(monitoring: ServiceMonitoring, { api, stage, firewall }: Monitored): void {
  const requests = api.deploymentStage.metricCount();
  monitoring.addAlarm('Api', 'Latency', {
    impact: 'For 15 minutes the slowest 1 % of the requests have taken 2 seconds or longer.',
    runbook: 'Latency',
    // With fewer than 100 requests, p99 is the slowest request: a single cold start.
    metric: metricMath('Latency p99, ms', 'IF(requests >= 100, latency, 0)', {
      latency: api.deploymentStage.metricLatency({ statistic: 'p99' }),
      requests,
    }),
    // A database attempt times out after 1.5 s, so a request of 2 s has lost one.
    threshold: 2000,
    periods: 3,
  });
  monitoring.addAlarm('Api', 'Refusals', {
    impact: 'For 15 minutes API Gateway or the firewall has refused 5 % of the requests or more.',
    runbook: 'Refused requests',
    metric: metricMath('Refused requests, %', 'IF(requests >= 100, 100 * refused / requests, 0)', {
      refused: refusedRequests(api, stage),
      requests,
    }),
    // A short burst above a limit needs no operator, so three periods in a row.
    threshold: 5,
    periods: 3,
  });
  if (!firewall) return;
  monitoring.addAlarm('Firewall', 'Detached', {
    impact:
      'For 10 minutes the firewall has seen no request, not even the heartbeat. One client may use up the rate of all.',
    runbook: 'Firewall detached',
    metric: firewall.allowedRequests,
    isRequired: true,
    threshold: 1,
    periods: 2,
  });
}

/** The failures within a period that raise the alarm of an operation, if they are also at least this share of its requests. */
const outage = { failures: 5, percent: 5 };

/** An operation with a small part of the traffic may fail for ever without using up the error budget. */
function addOperationAlarms(monitoring: ServiceMonitoring, { functions, stage }: Monitored): void {
  for (const { name, function: each } of functions) {
    // Its clients ask for what does not exist. Its errors count for the error budget.
    if (name === 'fallback') continue;
    monitoring.addAlarm(name, 'Failures', {
      impact: `In 10 of 15 minutes at least ${outage.percent} % of the requests of ${name} failed, and their clients got a 5xx response.`,
      runbook: 'Operation fails',
      metric: failedPercent(outage.failures, {
        crashes: each.metricErrors(),
        errors: functionMetric('Failures', stage, { operation: name }),
        requests: each.metricInvocations(),
      }),
      threshold: outage.percent,
      periods: 2,
      outOf: 3,
    });
  }
}

/** No function reserves concurrency, so all functions of the account and Region share its limit. */
function addConcurrencyAlarms(monitoring: ServiceMonitoring): void {
  const ofAccount = (metricName: string, statistic = 'Maximum') =>
    new Metric({ namespace: 'AWS/Lambda', metricName, statistic });
  monitoring.addAlarm('Functions', 'Throttles', {
    impact:
      'Within 5 minutes Lambda throttled at least 10 invocations in this account and Region. Each throttled request got a 5xx response.',
    runbook: 'Function throttles',
    metric: ofAccount('Throttles', 'Sum'),
    threshold: 10,
    outOf: 2,
  });
  monitoring.addAlarm('Functions', 'Concurrency', {
    impact:
      'The functions of this account and Region use 80 % of its concurrency. At 100 % Lambda throttles requests.',
    runbook: 'Function throttles',
    // CloudWatch knows the quota of the second metric only. The first includes reserved concurrency.
    metric: metricMath('Used concurrency, %', '100 * claimed / SERVICE_QUOTA(executions)', {
      claimed: ofAccount('ClaimedAccountConcurrency'),
      executions: ofAccount('ConcurrentExecutions'),
    }),
    threshold: 80,
    outOf: 2,
  });
}

function addDataAlarms(monitoring: ServiceMonitoring, { stage, tables }: Monitored): void {
  monitoring.addAlarm('Tables', 'DamagedData', {
    impact:
      'Within 5 minutes a request met a damaged item or API key, or the id counter was behind the stored items. Lists lack the item, and clients with the key get 401.',
    runbook: 'Damaged data',
    metric: functionMetric('DamagedData', stage, {}),
    threshold: 1,
  });
  for (const table of tables) {
    const { id } = table.node;
    if (table.keepsItems) {
      monitoring.addAlarm(id, 'Deletes', {
        impact: `Within 5 minutes items of the table ${id} were deleted, which no operation does. Clients miss them.`,
        runbook: 'Deleted items',
        metric: sum('Deletes', deleteRequests(table)),
        threshold: 1,
        outOf: 2,
      });
    }
    // `checkStages` keeps throttles below ceilings. So only a table with lists, thus an index, can be throttled: a list
    // reads on after damaged items, and all its items come from few partitions.
    for (const { name, cause, text } of table.indexNames.length > 0 ? throttleCauses : []) {
      monitoring.addAlarm(id, name, {
        impact: `Within 5 minutes DynamoDB throttled at least 10 reads or writes of the table ${id}, because ${text}. Requests get slow, then fail with 503.`,
        runbook: 'Table throttles',
        metric: sum('Throttles', table.metricsWithIndexes(throttleMetrics(cause))),
        // The SDK retries throttled calls, so clients do not notice a few.
        threshold: 10,
        outOf: 2,
      });
    }
  }
}

/** Counts deletes by hand or by a script, but not those by time to live, PartiQL and transactions. */
function deleteRequests(table: ServiceTable): Metric[] {
  return ['DeleteItem', 'BatchWriteItem'].map((operation) =>
    table.metric('SuccessfulRequestLatency', {
      dimensionsMap: { TableName: table.tableName, Operation: operation },
      // Of this metric, it is the number of requests.
      statistic: Stats.SAMPLE_COUNT,
    }),
  );
}

/** The causes for which DynamoDB throttles an on-demand table, by the names in its metrics. */
const throttleCauses = [
  { name: 'Ceiling', cause: 'MaxOnDemandThroughput', text: 'it reached the ceiling of the stage' },
  { name: 'HotPartition', cause: 'KeyRangeThroughput', text: 'one partition got too much of it' },
];
