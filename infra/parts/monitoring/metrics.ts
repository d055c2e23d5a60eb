import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { failuresMetric, metricNamespace } from '../../../lib/metrics.ts';
import { serviceName } from '../../../lib/operations.ts';
import type { TableName } from '../../../lib/tables.ts';
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
 * A graph of several functions needs another id for each metric, so the ids have the name of the function.
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
