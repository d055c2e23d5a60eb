import { Logger } from '@aws-lambda-powertools/logger';
import { config } from './config.ts';
import { serviceName } from './metricDimensions.ts';

/** Everything that the functions log: a stable code to search for and to alarm on, and its words. */
const logEvents = {
  request_handled: { level: 'info', message: 'Request handled' },
  request_failed: { level: 'error', message: 'Request failed for a fault of the service' },
  api_key_damaged: { level: 'error', message: 'A stored API key is damaged and was refused' },
  pet_damaged: { level: 'error', message: 'A stored pet is damaged and was left out of a list' },
  pet_id_taken: { level: 'warn', message: 'The id counter is behind the pets: an id is taken' },
  version_verified: { level: 'info', message: 'The new version answers as it should' },
  version_refused: { level: 'error', message: 'The new version failed and is not released' },
} as const;

type LogEvent = keyof typeof logEvents;

/** Powertools' logger: one JSON object a line, with what is known of the Lambda function. */
export const logger = new Logger({
  serviceName,
  logLevel: config.logLevel,
  persistentKeys: { stage: config.stage },
  jsonReplacerFn: errorsCut,
});

/**
 * Logs an event by its code, with fields beside it.
 *
 * Callers pass identifiers and outcomes, never a header, a body or a key. An `Error` is written with
 * its stack and its causes, an `ApiError` as the body that it becomes.
 */
export function log(code: LogEvent, fields: Record<string, unknown>): void {
  const { level, message } = logEvents[code];
  logger[level](message, { code, ...fields });
}

/** Without this Powertools writes all that hangs on an error, and on some that is the request. */
function errorsCut(_key: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  const { name, message, stack, cause } = value;
  return { name, message, stack, cause };
}
