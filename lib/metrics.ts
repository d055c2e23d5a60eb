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
 * Errors are metrics in CloudWatch's embedded metric format: CloudWatch reads them from `_aws`, and the log
 * line has a member for each dimension. What succeeds is no metric: docs/costs.md.
 */
export function takeRequestMetrics({ errorCode, isServerError }: RequestResult) {
  const taken: { [Name in MetricName]?: number } = {
    ...(errorCode && { Errors: 1 }),
    ...(isServerError && { ServerErrors: 1 }),
  };
  const counts = { ...(petsCreated > 0 && { petsCreated }) };
  petsCreated = 0;
  const names = Object.keys(taken) as MetricName[];
  if (!config.hasMetrics || names.length === 0) return counts;

  const byDimensions = Map.groupBy(names, (name) => metricDimensions[name]);
  return {
    ...counts,
    ...taken,
    _aws: {
      Timestamp: Date.now(),
      CloudWatchMetrics: [...byDimensions].map(([dimensions, group]) => ({
        Namespace: metricNamespace,
        Dimensions: [dimensions],
        Metrics: group.map((Name) => ({ Name, Unit: 'Count' })),
      })),
    },
  };
}
