import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { metricNamespace } from '../../../lib/metrics.ts';
import type { AccessLog } from '../../core/AccessLog.ts';

export type ResponseMetrics = Record<keyof typeof countedResponses, Metric>;

/**
 * The responses that alarms count. The conditions compare the text of `status`, because the log quotes its
 * values and a comparison of numbers matches no quoted value.
 *
 * API Gateway's own metrics are not exact. Its `4XXError` also counts “modified gateway responses”, such as
 * the 5xx that clients get while a function crashes.
 */
const countedResponses = {
  FailedRequests: ['=', '5*'],
  /** A 4xx is the client's error. A flood of 4xx must not make the share of failed requests look small. */
  ValidRequests: ['!=', '4*'],
  /** Refused before a function ran, because no function sends a 429. */
  RefusedRequests: ['=', '429'],
} as const;

/** Lets the access log count responses. Only a log of the class Standard can. */
export function addResponseMetrics(accessLog: AccessLog, stageName: string): ResponseMetrics {
  const metrics = Object.entries(countedResponses).map(([name, [comparison, status]]) => {
    const filter = new MetricFilter(accessLog, name, {
      logGroup: accessLog,
      filterPattern: FilterPattern.stringValue('$.status', comparison, status),
      // The namespace contains the stage, because a metric with a default value can have no dimensions.
      metricNamespace: `${metricNamespace}/${stageName}`,
      metricName: name,
      metricValue: '1',
      // Without a default value, the last 5xx would stay the newest value, and keep an alarm on.
      defaultValue: 0,
    });
    return [name, filter.metric({ statistic: 'Sum' })] as const;
  });
  return Object.fromEntries(metrics) as ResponseMetrics;
}
