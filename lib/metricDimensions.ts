/** The CloudWatch namespace of the metrics that the functions publish. */
export const metricNamespace = 'PetStore';

/** The `service` of each log line and metric. */
export const serviceName = 'petstore';

/** The dimensions of every metric. `operation` is the name of an operation, or `fallback`. */
const common = ['service', 'stage', 'operation'] as const;

/**
 * Each metric that the functions publish, with the names of its dimensions. All are counts.
 *
 * CloudWatch bills each combination of values, so no dimension grows with the number of clients.
 */
export const metricDimensions = {
  /** Responses of 400 and above, by the code of the Error body. */
  Errors: [...common, 'errorCode'],
  /** Responses of 500 and above, by the version of the function. A 503 is a fault of the store. */
  ServerErrors: [...common, 'functionVersion'],
} as const;

export type MetricName = keyof typeof metricDimensions;
