import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { config } from './config.ts';
import { type MetricName, metricNamespace, serviceName } from './metricDimensions.ts';

const { stage, functionVersion, hasMetrics } = config;

const metrics = new Metrics({
  namespace: metricNamespace,
  serviceName,
  defaultDimensions: { stage },
});

/** Adds one to a metric of the current request. `takeRequestMetrics` ends its counts. */
export function count(metric: MetricName): void {
  metrics.addMetric(metric, MetricUnit.Count, 1);
}

type RequestResult = { operation: string; errorCode: string | undefined; isServerError: boolean };

/**
 * Returns the metrics of a request as members of its log line, in CloudWatch's embedded metric format.
 *
 * CloudWatch reads them from `_aws`, which may list metrics under different dimensions.
 */
export function takeRequestMetrics({
  operation,
  errorCode,
  isServerError,
}: RequestResult): Record<string, unknown> {
  const groups = [takeCounts('Requests', { operation })];
  if (errorCode) groups.push(takeCounts('Errors', { operation, errorCode }));
  if (isServerError) groups.push(takeCounts('ServerErrors', { operation, functionVersion }));
  if (!hasMetrics) return {};

  // The logger writes `service` itself, and accepts no field of that name.
  const { service, ...members } = Object.assign({}, ...groups);
  members._aws.CloudWatchMetrics = groups.flatMap(({ _aws }) => _aws.CloudWatchMetrics);
  return members;
}

/** Counts a metric, and takes everything counted since the last call, under the given dimensions. */
function takeCounts(metric: MetricName, dimensions: Record<string, string>) {
  count(metric);
  const counts = metrics.addDimensions(dimensions).serializeMetrics();
  metrics.clearMetrics();
  metrics.clearDimensions();
  return counts;
}
