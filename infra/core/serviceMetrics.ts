import type { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { type MetricName, type metricDimensions, metricNamespace } from '../../lib/metrics.ts';
import { serviceName } from '../../lib/operations.ts';

// A metric without a period of its own has five minutes, the default of the CDK.

/** Returns metric math. The period also applies to its metrics. */
export function metricMath(
  label: string,
  expression: string,
  usingMetrics: Record<string, IMetric>,
  period?: Duration,
): MathExpression {
  return new MathExpression({ label, expression, usingMetrics, ...(period && { period }) });
}

/**
 * The failed requests in percent, and 0 for fewer failures than the minimum.
 *
 * In a graph of several expressions, each needs a name. The name is the label, and makes the ids of the metrics
 * unique.
 */
export function failedPercent(
  minFailures: number,
  { crashes, errors, requests }: Record<'crashes' | 'errors' | 'requests', Metric>,
  name = '',
): MathExpression {
  // A metric has no data while nothing fails.
  const failures = `FILL(crashes${name}, 0) + FILL(errors${name}, 0)`;
  const percent = `IF(${failures} >= ${minFailures}, 100 * (${failures}) / requests${name}, 0)`;
  return metricMath(name || 'Failed requests, %', percent, {
    [`crashes${name}`]: crashes,
    [`errors${name}`]: errors,
    [`requests${name}`]: requests,
  });
}

/** A metric that the functions publish. CloudWatch has data only under the full set of dimensions. */
export function functionMetric<Name extends MetricName>(
  metricName: Name,
  stageName: string,
  dimensions: Record<Exclude<(typeof metricDimensions)[Name][number], 'service' | 'stage'>, string>,
): Metric {
  return new Metric({
    namespace: metricNamespace,
    metricName,
    dimensionsMap: { service: serviceName, stage: stageName, ...dimensions },
    statistic: 'Sum',
  });
}
