import { Duration } from 'aws-cdk-lib';
import type { Stage as ApiStage } from 'aws-cdk-lib/aws-apigateway';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { LiveFunction } from './LiveFunction.ts';
import { ServiceAlarm } from './ServiceAlarm.ts';
import type { WatchedTable } from './watchedTable.ts';

const period = Duration.minutes(5);

type ServiceAlarmsProps = {
  apiStage: ApiStage;
  functions: readonly LiveFunction[];
  tables: readonly WatchedTable[];
  topic: ITopic;
};

/** What somebody has to look at, whatever the hour: clients are hurt, or will be soon. */
export class ServiceAlarms extends Construct {
  constructor(scope: Construct, id: string, props: ServiceAlarmsProps) {
    super(scope, id);
    const { apiStage, functions, tables, topic } = props;

    new ServiceAlarm(this, 'ServerErrorRate', {
      impact:
        'At least 1 % of the requests of 5 minutes, and at least 5, were answered with a 5xx.',
      runbook: 'Server error rate',
      metric: new MathExpression({
        // One failed request of ten in a quiet night is 10 %, and nothing to wake up for.
        expression: 'IF(errors >= 5, 100 * errors / requests, 0)',
        usingMetrics: {
          errors: apiStage.metricServerError({ period }),
          requests: apiStage.metricCount({ period }),
        },
        label: 'Server errors, %',
        period,
      }),
      threshold: 1,
      topic,
    });

    new ServiceAlarm(this, 'Latency', {
      impact: 'For 15 minutes one of 100 requests has taken 2 seconds or longer.',
      runbook: 'Latency',
      metric: new MathExpression({
        // Of fewer than 100 requests the 99th percentile is the slowest one: a single cold start.
        expression: 'IF(requests >= 100, latency, 0)',
        usingMetrics: {
          latency: apiStage.metricLatency({ period, statistic: 'p99' }),
          requests: apiStage.metricCount({ period }),
        },
        label: 'Latency p99, ms',
        period,
      }),
      // An attempt at the database may take 1.5 s, so beyond 2 s one of them was lost.
      threshold: 2000,
      periods: 3,
      topic,
    });

    new ServiceAlarm(this, 'FunctionErrors', {
      impact:
        'Within 5 minutes functions crashed or timed out 3 times or more; each is a request answered with a 5xx.',
      runbook: 'Function errors',
      metric: sum(
        'Crashes',
        functions.map(({ function: each }) => each.metricErrors({ period })),
      ),
      threshold: 3,
      outOf: 2,
      topic,
    });

    new ServiceAlarm(this, 'FunctionThrottles', {
      impact: 'Lambda refused to run a function; each refusal is a request answered with a 5xx.',
      runbook: 'Function throttles',
      metric: sum(
        'Refusals',
        functions.map(({ function: each }) => each.metricThrottles({ period })),
      ),
      threshold: 1,
      outOf: 2,
      topic,
    });

    for (const table of tables) {
      new ServiceAlarm(this, `${table.name}TableThrottles`, {
        impact: `Within 5 minutes DynamoDB refused 10 or more reads or writes of the table ${table.name}; requests get slow, and then 503.`,
        runbook: 'Table throttles',
        metric: sum('Refusals', throttleMetrics(table)),
        // The SDK repeats what is refused, so a few are felt by nobody.
        threshold: 10,
        outOf: 2,
        topic,
      });
      new ServiceAlarm(this, `${table.name}TableErrors`, {
        impact: `Within 5 minutes DynamoDB failed 10 or more calls to the table ${table.name} for a fault of its own; requests get slow, and then 503.`,
        runbook: 'Table errors',
        metric: sum('Faults', systemErrorMetrics(table)),
        threshold: 10,
        outOf: 2,
        topic,
      });
    }
  }
}

/** DynamoDB counts what is refused for a table, and apart from it for each of its indexes. */
function throttleMetrics({ tableName, indexNames }: WatchedTable): IMetric[] {
  const names = ['ReadThrottleEvents', 'WriteThrottleEvents'];
  const places = [{}, ...indexNames.map((each) => ({ GlobalSecondaryIndexName: each }))];
  return places.flatMap((place) =>
    names.map((name) => tableMetric(name, { TableName: tableName, ...place })),
  );
}

/** DynamoDB counts its own faults by operation, and not for the table as a whole. */
function systemErrorMetrics({ tableName, actions }: WatchedTable): IMetric[] {
  return actions.map((action) =>
    tableMetric('SystemErrors', { TableName: tableName, Operation: action }),
  );
}

function tableMetric(metricName: string, dimensionsMap: Record<string, string>): Metric {
  return new Metric({
    namespace: 'AWS/DynamoDB',
    metricName,
    dimensionsMap,
    statistic: 'Sum',
    period,
  });
}

/**
 * Without FILL there is no sum where one metric has no data, and these have data only in trouble.
 *
 * With it a period whose data is late counts as 0 when it is looked at first. So an alarm on it looks
 * at the period before as well (`outOf`), or it might never see what comes late.
 */
function sum(label: string, metrics: IMetric[]): MathExpression {
  return new MathExpression({
    expression: 'SUM(FILL(METRICS(), 0))',
    usingMetrics: Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric])),
    label,
    period,
  });
}
