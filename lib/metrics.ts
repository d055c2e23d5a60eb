import { config } from './config.ts';

/** The CloudWatch namespace of the project's own metrics. */
export const metricNamespace = 'PetStore';

/**
 * The metric that the functions publish: responses of 500 and above. `operation` is the name of an operation,
 * or `fallback`.
 *
 * CloudWatch bills each combination of values, so no dimension grows with the number of clients. API
 * Gateway's own metric for each method would cost more: it comes with four others, at $0.30 each for every
 * method that has requests.
 */
export const failuresMetric = {
  name: 'Failures',
  dimensions: ['service', 'stage', 'operation'],
} as const;

/**
 * Returns the metric of a request in CloudWatch's embedded metric format, as members of its log line. The line
 * must have a member for each dimension. Outside Lambda there is none.
 *
 * Successes are not metrics, because the access log counts the valid requests.
 */
export function requestMetrics({ status }: { status: number }) {
  if (status < 500 || config().functionVersion === undefined) return {};

  const { name, dimensions } = failuresMetric;
  return {
    [name]: 1,
    _aws: {
      Timestamp: Date.now(),
      CloudWatchMetrics: [
        {
          Namespace: metricNamespace,
          Dimensions: [dimensions],
          Metrics: [{ Name: name, Unit: 'Count' }],
        },
      ],
    },
  };
}
