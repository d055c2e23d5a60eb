import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { type MetricName, metricNamespace } from '../../../lib/metrics.ts';
import { serviceName } from '../../../lib/operations.ts';
import { type TableName, tables as tableDefinitions } from '../../../lib/tables.ts';
import type { ApiFunction } from '../../core/ServiceFunction.ts';
import type { ResponseMetrics } from './addResponseMetrics.ts';
import type { Heartbeat } from './Heartbeat.ts';

/** What alarms and graphs measure. */
export type Monitored = {
  stage: { name: string };
  api: RestApi;
  functions: readonly ApiFunction[];
  tables: Record<TableName, ITable>;
  responses: ResponseMetrics;
  heartbeat: Heartbeat;
  hasFirewall: boolean;
};

/** A metric that the functions publish. It has data only under the full set of dimensions. */
export function functionMetric(
  metricName: MetricName,
  stageName: string,
  dimensions: Record<string, string> = {},
): Metric {
  return new Metric({
    namespace: metricNamespace,
    metricName,
    dimensionsMap: { service: serviceName, stage: stageName, ...dimensions },
    statistic: 'Sum',
  });
}

/**
 * What only work by hand can cause: data that requests find damaged, and deletes in tables that can
 * be restored. Deletes by time to live, PartiQL and transactions are not counted.
 */
export function changesByHand(stageName: string, tables: Monitored['tables']): Metric[] {
  const damaged = functionMetric('DamagedData', stageName).with({ label: 'damaged data' });
  const restorable = (Object.keys(tables) as TableName[]).filter(
    (name) => tableDefinitions[name].pointInTimeRecovery !== 'never',
  );
  const deletes = restorable.flatMap((name) =>
    ['DeleteItem', 'BatchWriteItem'].map((operation) =>
      tables[name].metric('SuccessfulRequestLatency', {
        dimensionsMap: { TableName: tables[name].tableName, Operation: operation },
        // The sample count of this metric is the number of requests.
        statistic: Stats.SAMPLE_COUNT,
        label: `${operation} ${tables[name].node.id}`,
      }),
    ),
  );
  return [damaged, ...deletes];
}
