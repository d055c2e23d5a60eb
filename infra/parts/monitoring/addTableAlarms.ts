import { type MathExpression, type Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { type TableName, tables as tableDefinitions } from '../../../lib/tables.ts';
import { isRestorable } from '../../core/ServiceTable.ts';
import { functionMetric, metricMath } from '../../core/serviceMetrics.ts';
import type { Monitored, ServiceMonitoring } from './ServiceMonitoring.ts';

/** Adds the alarms on damaged and deleted data, and on a partition of a table that gets too many requests. */
export function addTableAlarms(
  monitoring: ServiceMonitoring,
  { stage, tables }: Pick<Monitored, 'stage' | 'tables'>,
): void {
  monitoring.addAlarm({
    name: 'Tables-DamagedData',
    impact:
      'Within 5 minutes a request met a damaged item or API key, or the id counter was behind the stored items. Lists lack the item, and clients with the key get 401.',
    runbook: 'Damaged data',
    urgency: 'low',
    metric: functionMetric('DamagedData', stage.name, {}),
    threshold: 1,
  });
  for (const [name, table] of Object.entries(tables) as [TableName, ITable][]) {
    const { id } = table.node;
    // A restore undoes a deletion by mistake.
    if (isRestorable(tableDefinitions[name], stage)) {
      monitoring.addAlarm({
        name: `${id}-Deletes`,
        impact: `Within 5 minutes items of the table ${id} were deleted, which no operation does. Clients miss them.`,
        runbook: 'Deleted items',
        urgency: 'low',
        metric: sum('Deletes', deleteRequests(table)),
        threshold: 1,
        outOf: 2,
      });
    }
    // Requests cannot reach the ceiling of a table, because it follows from the throttles. But an index has few
    // partitions, and one partition can get too many requests. Tables without an index need no alarm.
    if (indexNames(name).length > 0) {
      monitoring.addAlarm({
        name: `${id}-HotPartition`,
        impact: `Within 5 minutes DynamoDB throttled at least 10 reads or writes of the table ${id}, because one partition got too much of them. Requests get slow, then fail with 503.`,
        runbook: 'Table throttles',
        urgency: 'high',
        metric: sum(
          'Throttles',
          metricsWithIndexes({ [name]: table }, throttleMetrics('KeyRangeThroughput')),
        ),
        // The SDK retries throttled calls, so clients do not notice a few.
        threshold: 10,
        outOf: 2,
      });
    }
  }
}

/** DynamoDB's metrics of throttled reads and writes, by their cause. */
export function throttleMetrics(cause: string): string[] {
  return ['Read', 'Write'].map((kind) => `${kind}${cause}ThrottleEvents`);
}

/** Returns metrics of tables and of each index: DynamoDB counts them separately. */
export function metricsWithIndexes(
  tables: Partial<Monitored['tables']>,
  metricNames: readonly string[],
): Metric[] {
  return Object.entries(tables).flatMap(([name, table]) =>
    [undefined, ...indexNames(name as TableName)].flatMap((index) =>
      metricNames.map((metricName) =>
        table.metric(metricName, {
          dimensionsMap: {
            TableName: table.tableName,
            ...(index && { GlobalSecondaryIndexName: index }),
          },
          statistic: 'Sum',
          label: index ? `${table.node.id} ${index}` : table.node.id,
        }),
      ),
    ),
  );
}

function indexNames(name: TableName): string[] {
  return Object.keys(tableDefinitions[name].indexes);
}

/** Counts deletes by hand or by a script, but not those by time to live, PartiQL and transactions. */
function deleteRequests(table: ITable): Metric[] {
  return ['DeleteItem', 'BatchWriteItem'].map((operation) =>
    table.metric('SuccessfulRequestLatency', {
      dimensionsMap: { TableName: table.tableName, Operation: operation },
      // The sample count of this metric is the number of requests.
      statistic: Stats.SAMPLE_COUNT,
    }),
  );
}

/**
 * Adds up metrics that have data only when something fails. Without FILL, there is no sum if one of the metrics
 * has no data.
 *
 * With FILL, a period counts as 0 until its data arrive. So alarms on a sum also evaluate the previous period
 * (`outOf`). Otherwise they would never see late data.
 */
function sum(label: string, metrics: readonly Metric[]): MathExpression {
  return metricMath(
    label,
    metrics.map((_, index) => `FILL(m${index}, 0)`).join(' + '),
    Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric])),
  );
}
