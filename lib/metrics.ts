import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { config } from './config.ts';
import { type MetricName, metricNamespace, serviceName } from './metricDimensions.ts';

/** Written to the log in the embedded metric format, out of which CloudWatch makes metrics. */
const metrics = new Metrics({
  namespace: metricNamespace,
  serviceName,
  defaultDimensions: { stage: config.stage },
});

/** Counts one event; it is published together with the request that it is a part of. */
export function count(metric: MetricName): void {
  metrics.addMetric(metric, MetricUnit.Count, 1);
}

/** Publishes what was counted since the last call, under the dimensions that these metrics have. */
export function publishCounts(dimensions: Record<string, string>): void {
  metrics.addDimensions(dimensions).publishStoredMetrics();
}
