import { config } from './config.ts';
import { errorStatuses } from './errors.ts';
import { type MetricName, metricDimensions, metricNamespace } from './metricDimensions.ts';

type RequestResult = { status: number; errorCode: string | undefined };

/**
 * Returns the metrics of a request as members of its log line.
 *
 * Errors are metrics in CloudWatch's embedded metric format: CloudWatch reads them from `_aws`, and the
 * log line has a member for each dimension. Successes are not metrics: docs/capacity.md.
 */
export function requestMetrics({ status, errorCode }: RequestResult) {
  const names: MetricName[] = [];
  if (errorCode) names.push('Errors');
  if (status >= 500 && status !== errorStatuses.service_unavailable) names.push('ServerErrors');
  if (!config.hasMetrics || names.length === 0) return {};

  return {
    ...Object.fromEntries(names.map((name) => [name, 1])),
    _aws: {
      Timestamp: Date.now(),
      CloudWatchMetrics: names.map((Name) => ({
        Namespace: metricNamespace,
        Dimensions: [metricDimensions[Name]],
        Metrics: [{ Name, Unit: 'Count' }],
      })),
    },
  };
}
