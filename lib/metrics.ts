import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { config } from './config.ts';
import { type MetricName, metricNamespace, serviceName } from './metricDimensions.ts';

/** Metrics are log lines in the embedded metric format. CloudWatch extracts them. */
const metrics = new Metrics({
  namespace: metricNamespace,
  serviceName,
  defaultDimensions: { stage: config.stage },
});

/** Adds one to a metric. `publishCounts` publishes it at the end of the request. */
export function count(metric: MetricName): void {
  metrics.addMetric(metric, MetricUnit.Count, 1);
}

/** Publishes everything counted since the last call, under the given dimensions. */
export function publishCounts(dimensions: Record<string, string>): void {
  metrics.addDimensions(dimensions).publishStoredMetrics();
}
