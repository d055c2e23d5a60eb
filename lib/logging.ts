import { Logger } from '@aws-lambda-powertools/logger';
import { config } from './config.ts';
import { serviceName } from './metricDimensions.ts';

/** Fields of Powertools that the log group or other fields imply. CloudWatch bills each byte. */
const impliedField = /^(function_(arn|memory|name)|sampling_)/;

const settings = {
  serviceName,
  // Both versions of a canary have the same ARN: that of the alias.
  persistentKeys: {
    stage: config.stage,
    functionVersion: config.functionVersion,
    release: config.release,
  },
  jsonReplacerFn: replaceField,
};

/** Powertools' logger: one JSON object a line, with the fields of the Lambda context. */
export const logger = new Logger({ ...settings, logLevel: config.logLevel });

/** Writes the lines that carry metrics, at every LOG_LEVEL: it must not leave out a metric. */
export const metricsLogger = new Logger({ ...settings, logLevel: 'INFO' });

/** Every log line of the functions: a stable code, for searches and alarms, and its message. */
const logEvents = {
  request_handled: { level: 'info', message: 'Request handled' },
  request_failed: { level: 'error', message: 'Request failed because of a server error' },
  api_key_damaged: { level: 'error', message: 'A stored API key is damaged and was refused' },
  pet_damaged: { level: 'error', message: 'A stored pet is damaged and was left out of a list' },
  pet_id_taken: { level: 'warn', message: 'The id counter is behind the pets: an id is taken' },
  version_verified: { level: 'info', message: 'The new version responds correctly' },
  version_refused: { level: 'error', message: 'The new version failed and is not released' },
} as const;

type LogEvent = keyof typeof logEvents;

/**
 * Logs an event by its code, with additional fields.
 *
 * Fields are identifiers and outcomes, never a header, a body or a key. An `Error` is logged with
 * its stack and causes, an `ApiError` as its response body.
 */
export function log(code: LogEvent, fields: Record<string, unknown>): void {
  const { level, message } = logEvents[code];
  ('_aws' in fields ? metricsLogger : logger)[level](message, { code, ...fields });
}

/** Powertools would log every property of an error, and some errors hold the request. */
function replaceField(key: string, value: unknown): unknown {
  if (impliedField.test(key)) return undefined;
  if (!(value instanceof Error)) return value;
  const { name, message, stack, cause } = value;
  return { name, message, stack, cause };
}
