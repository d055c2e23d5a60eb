import { Duration } from 'aws-cdk-lib';
import type { Stage as ApiStage } from 'aws-cdk-lib/aws-apigateway';
import type { IBackupVault } from 'aws-cdk-lib/aws-backup';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { RunbookAlarm } from './alerts.ts';
import { ErrorBudgetAlarm } from './ErrorBudgetAlarm.ts';
import type { ApiFunction } from './ServiceFunction.ts';
import type { ServiceTable } from './ServiceTable.ts';

const period = Duration.minutes(5);

type ServiceAlarmsProps = {
  apiStage: ApiStage;
  functions: readonly ApiFunction[];
  tables: readonly ServiceTable[];
  /** The vault of the daily backups. */
  vault: IBackupVault | undefined;
  topic: ITopic;
};

/** The alarms that need an operator at any hour: clients are or will be affected, or a backup is missing. */
export class ServiceAlarms extends Construct {
  constructor(scope: Construct, id: string, props: ServiceAlarmsProps) {
    super(scope, id);
    const { apiStage, functions, tables, vault, topic } = props;

    new ErrorBudgetAlarm(this, 'ErrorBudget', { apiStage, topic });

    new RunbookAlarm(this, 'Latency', {
      impact: 'For 15 minutes the slowest 1 % of the requests have taken 2 seconds or longer.',
      runbook: 'Latency',
      metric: new MathExpression({
        // With fewer than 100 requests, p99 is the slowest request: a single cold start.
        expression: 'IF(requests >= 100, latency, 0)',
        usingMetrics: {
          latency: apiStage.metricLatency({ period, statistic: 'p99' }),
          requests: apiStage.metricCount({ period }),
        },
        label: 'Latency p99, ms',
        period,
      }),
      // A database attempt times out after 1.5 s, so a request of 2 s has lost one.
      threshold: 2000,
      periods: 3,
      topic,
    });

    new RunbookAlarm(this, 'FunctionErrors', {
      impact:
        'Within 5 minutes functions crashed or timed out at least 3 times. Each time a request got a 5xx response.',
      runbook: 'Function errors',
      metric: sum(
        'Crashes',
        functions.map(({ function: each }) => each.metricErrors({ period })),
      ),
      threshold: 3,
      outOf: 2,
      topic,
    });

    new RunbookAlarm(this, 'FunctionThrottles', {
      impact: 'Lambda refused to run a function. Each refused request got a 5xx response.',
      runbook: 'Function throttles',
      metric: sum(
        'Refusals',
        functions.map(({ function: each }) => each.metricThrottles({ period })),
      ),
      threshold: 1,
      outOf: 2,
      topic,
    });

    if (vault) {
      new RunbookAlarm(this, 'NoRecoveryPoint', {
        impact:
          'For 26 hours AWS Backup has not completed a backup. Point-in-time recovery and the previous backups remain.',
        runbook: 'No recovery point',
        metric: sum('Completed backups', [completedBackups(vault)], Duration.hours(1)),
        isRequired: true,
        threshold: 1,
        // A period of an hour or longer allows a week in total; a shorter one allows a day.
        periods: 26,
        topic,
      });
    }

    for (const table of tables) {
      const name = table.node.id;
      const throttles = ['ReadThrottleEvents', 'WriteThrottleEvents'];
      new RunbookAlarm(this, `${name}TableThrottles`, {
        impact: `Within 5 minutes DynamoDB throttled at least 10 reads or writes of the table ${name}. Requests get slow, then fail with 503.`,
        runbook: 'Table throttles',
        metric: sum('Refusals', table.metricsWithIndexes(throttles, { period })),
        // The SDK retries throttled calls, so clients do not notice a few.
        threshold: 10,
        outOf: 2,
        topic,
      });
      new RunbookAlarm(this, `${name}TableErrors`, {
        impact: `Within 5 minutes DynamoDB failed at least 10 calls to the table ${name} by a fault of its own. Requests get slow, then fail with 503.`,
        runbook: 'Table errors',
        metric: sum('Faults', systemErrors(table)),
        threshold: 10,
        outOf: 2,
        topic,
      });
    }
  }
}

/** DynamoDB counts its own faults by operation, not for the table as a whole. */
function systemErrors(table: ServiceTable): IMetric[] {
  return table.actions.map((action) =>
    table.metric('SystemErrors', {
      dimensionsMap: { TableName: table.tableName, Operation: action },
      statistic: 'Sum',
      period,
    }),
  );
}

/** AWS Backup has data for an hour only if a job completes in it. */
function completedBackups({ backupVaultName }: IBackupVault): IMetric {
  return new Metric({
    namespace: 'AWS/Backup',
    metricName: 'NumberOfBackupJobsCompleted',
    dimensionsMap: { BackupVaultName: backupVaultName },
    statistic: 'Sum',
    period: Duration.hours(1),
  });
}

/**
 * Adds up metrics that have data only when something fails: without FILL, one metric without data
 * leaves no sum.
 *
 * With FILL, a period whose data arrives late first counts as 0. So the alarms on a sum also evaluate
 * the period before (`outOf`), or they would never see late data.
 */
function sum(label: string, metrics: IMetric[], sumPeriod = period): MathExpression {
  return new MathExpression({
    expression: 'SUM(FILL(METRICS(), 0))',
    usingMetrics: Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric])),
    label,
    period: sumPeriod,
  });
}
