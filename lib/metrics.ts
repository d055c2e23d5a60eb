import { config } from './config.ts';
import { type MetricName, metricDimensions, metricNamespace } from './metricDimensions.ts';

/** The counts of the current request. */
const counts: { [Name in MetricName]?: number } = {};

/** Adds one to a metric of the current request. `takeRequestMetrics` ends its counts. */
export function count(metric: MetricName): void {
  counts[metric] = (counts[metric] ?? 0) + 1;
}

type RequestResult = { errorCode: string | undefined; isServerError: boolean };

/**
 * Returns the metrics of a request as members of its log line, in CloudWatch's embedded metric format.
 *
 * CloudWatch reads them from `_aws`. The log line has a member for each dimension.
 */
export function takeRequestMetrics({ errorCode, isServerError }: RequestResult) {
  count('Requests');
  if (errorCode) count('Errors');
  if (isServerError) count('ServerErrors');
  const taken = { ...counts };
  for (const name of Object.keys(counts)) delete counts[name as MetricName];
  if (!config.hasMetrics) return {};

  const names = Object.keys(taken) as MetricName[];
  const byDimensions = Map.groupBy(names, (name) => metricDimensions[name]);
  return {
    ...taken,
    _aws: {
      Timestamp: Date.now(),
      CloudWatchMetrics: [...byDimensions].map(([dimensions, group]) => ({
        Namespace: metricNamespace,
        Dimensions: [dimensions],
        Metrics: group.map((Name) => ({ Name, Unit: 'Count' })),
      })),
    },
  };
}
