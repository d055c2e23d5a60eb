import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { failuresMetric, metricNamespace } from '../../../lib/metrics.ts';
import { serviceName } from '../../../lib/operations.ts';
import { type TableName, tables as tableDefinitions } from '../../../lib/tables.ts';
import type { ApiFunction } from '../../core/ServiceFunction.ts';
import type { ResponseMetrics } from './addResponseMetrics.ts';
import type { Heartbeat } from './Heartbeat.ts';

export type Monitored = {
  stage: { name: string };
  api: RestApi;
  functions: readonly ApiFunction[];
  tables: Record<TableName, ITable>;
  responses: ResponseMetrics;
  heartbeat: Heartbeat;
  /** The names of the firewall's rules. Empty: no firewall. */
  firewallRules: readonly string[];
  /** Absent: the stage has no domain. */
  daysToExpiry: Metric | undefined;
};

/**
 * The failed requests of a function, for an expression: its 5xx responses and its crashes.
 *
 * A graph or an alarm of several functions needs another id for each metric, so the ids have the name of the
 * function.
 */
export function failuresOf({ name, function: each }: ApiFunction, stageName: string) {
  return {
    failed: `(FILL(crashes${name}, 0) + FILL(errors${name}, 0))`,
    requests: `requests${name}`,
    usingMetrics: {
      [`crashes${name}`]: each.metricErrors(),
      [`errors${name}`]: new Metric({
        namespace: metricNamespace,
        metricName: failuresMetric.name,
        // The metric has data only under the full set of dimensions.
        dimensionsMap: { service: serviceName, stage: stageName, operation: name },
        statistic: 'Sum',
      }),
      [`requests${name}`]: each.metricInvocations(),
    },
  };
}

/**
 * The deletes in tables that can be restored: only work by hand deletes there. Deletes by time to live, PartiQL
 * and transactions are not counted.
 */
export function deletesByHand(tables: Monitored['tables']): Metric[] {
  const restorable = (Object.keys(tables) as TableName[]).filter(
    (name) => tableDefinitions[name].pointInTimeRecovery !== 'never',
  );
  return restorable.flatMap((name) =>
    ['DeleteItem', 'BatchWriteItem'].map((operation) =>
      tables[name].metric('SuccessfulRequestLatency', {
        dimensionsMap: { TableName: tables[name].tableName, Operation: operation },
        // The sample count of this metric is the number of requests.
        statistic: Stats.SAMPLE_COUNT,
        label: `${operation} ${tables[name].node.id}`,
      }),
    ),
  );
}
