import { config } from './config.ts';

/** The CloudWatch namespace of the metrics that the functions publish. */
export const metricNamespace = 'PetStore';

/**
 * Each metric that the functions publish, with the names of its dimensions.
 *
 * CloudWatch bills each combination of values, so no dimension grows with the number of clients.
 */
export const metricDimensions = {
  /**
   * Responses of 500 and above. `operation` is the name of an operation, or `fallback`.
   *
   * API Gateway's own metric for each method would cost more: it comes with four others, at $0.30
   * each for every method that has requests.
   */
  Failures: ['service', 'stage', 'operation'],
  /** Damaged items that a request met, and ids of the counter that items already have. */
  DamagedData: ['service', 'stage'],
} as const;

export type MetricName = keyof typeof metricDimensions;

/**
 * Returns the metrics of a request as members of its log line.
 *
 * Successes are not metrics, because the access log counts the valid requests.
 */
export function requestMetrics({ status }: { status: number }) {
  return embeddedMetrics(status >= 500 ? ['Failures'] : []);
}

/**
 * Returns metrics that count one, in CloudWatch's embedded metric format, as members of a log line.
 *
 * The line must have a member for each dimension. Outside Lambda there are none.
 */
export function embeddedMetrics(names: readonly MetricName[]) {
  if (names.length === 0 || config().functionVersion === undefined) return {};

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
