/** Where CloudWatch keeps the metrics that the functions publish. */
export const metricNamespace = 'PetStore';

/** The `service` in each line of the log and each metric. */
export const serviceName = 'petstore';

/** On every metric: `operation` is that of the interface, or `fallback`. */
const common = ['service', 'stage', 'operation'] as const;

/** Each metric that the functions publish, all of them counts, with the names of its dimensions. */
export const metricDimensions = {
  /** Answered requests. */
  Requests: common,
  /** Pets that were stored; a repetition under the same Idempotency-Key stores none. */
  PetsCreated: common,
  /** Answers of 400 and above, by the code of the Error body. */
  Errors: [...common, 'code'],
  /** Answers of 500 and above, by the version of the function that gave them. */
  ServerErrors: [...common, 'version'],
  /** Calls of a deprecated operation, by the public id of the API key that has yet to move. */
  DeprecatedRequests: [...common, 'apiKeyId'],
} as const;

export type MetricName = keyof typeof metricDimensions;
