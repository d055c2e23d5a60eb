import { Metric, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import {
  type MetricName,
  type metricDimensions,
  metricNamespace,
  serviceName,
} from '../lib/metricDimensions.ts';

type DimensionsOf<Name extends MetricName> = Record<
  Exclude<(typeof metricDimensions)[Name][number], 'service'>,
  string
>;

/** A metric that the functions publish, under all of its dimensions: with one less it has no data. */
export function serviceMetric<Name extends MetricName>(
  metricName: Name,
  dimensions: DimensionsOf<Name>,
  options?: MetricOptions,
): Metric {
  return new Metric({
    namespace: metricNamespace,
    metricName,
    dimensionsMap: { service: serviceName, ...dimensions },
    statistic: 'Sum',
    ...options,
  });
}
