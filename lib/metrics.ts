import { config } from './config.ts';
import { type MetricName, metricDimensions, metricNamespace } from './metricDimensions.ts';

/** The pets that the current request has stored. */
let petsCreated = 0;

/** Counts a pet in the log line of the current request. */
export function countCreatedPet(): void {
  petsCreated += 1;
}

type RequestResult = { errorCode: string | undefined; isServerError: boolean };

/**
 * Returns the counts of a request as members of its log line.
 *
 * Errors are metrics in CloudWatch's embedded metric format: CloudWatch reads them from `_aws`, and the
 * log line has a member for each dimension. Successes are not metrics: docs/costs.md.
 */
export function takeRequestMetrics({ errorCode, isServerError }: RequestResult) {
  const counts = { ...(petsCreated > 0 && { petsCreated }) };
  petsCreated = 0;
  const names: MetricName[] = [];
  if (errorCode) names.push('Errors');
  if (isServerError) names.push('ServerErrors');
  if (!config.hasMetrics || names.length === 0) return counts;

  return {
    ...counts,
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
