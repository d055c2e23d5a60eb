import type { Context } from 'aws-lambda';
import { config, logLevels } from './config.ts';
import { serviceName } from './operations.ts';

/** Every log line of the functions, by its code. Searches and the runbook rely on the codes. */
const logEvents = {
  request_handled: { level: 'INFO', message: 'Request handled' },
  request_failed: { level: 'ERROR', message: 'Request failed because of a server error' },
  api_key_damaged: { level: 'ERROR', message: 'A stored API key is damaged and was rejected' },
  item_damaged: { level: 'ERROR', message: 'A stored item is damaged' },
  id_taken: { level: 'WARN', message: 'The id counter is behind the stored items: an id is taken' },
} as const;

type LogEvent = keyof typeof logEvents;

let isFirstRequest = process.env.AWS_LAMBDA_INITIALIZATION_TYPE === 'on-demand';

/**
 * Logs an event by its code, with additional fields, as one JSON object a line.
 *
 * Fields are identifiers and outcomes, never a header, a body or a key. An `Error` is logged with its
 * stack and its causes, and an `ApiError` as the body of its response. LOG_LEVEL hides no line with metrics.
 */
export type Log = (code: LogEvent, fields: Record<string, unknown>) => void;

/** Returns a log whose lines name the request's invocation and trace. Each request has its own. */
export function requestLog({ awsRequestId }: Partial<Context>): Log {
  // A client may have written the header, so only an id is taken from it.
  const traceId = process.env._X_AMZN_TRACE_ID?.match(/(?<=Root=)1-[\da-f]{8}-[\da-f]{24}/)?.[0];
  const invocation = {
    functionRequestId: awsRequestId,
    xrayTraceId: traceId,
    coldStart: isFirstRequest,
  };
  isFirstRequest = false;
  return (code, fields) => log(code, { ...invocation, ...fields });
}

const log: Log = (code, fields) => {
  const { level, message } = logEvents[code];
  const { logLevel, stage, functionVersion, release } = config();
  const isLogged = logLevels.indexOf(level) >= logLevels.indexOf(logLevel);
  if (!isLogged && !('_aws' in fields)) return;

  write({
    level,
    message,
    timestamp: new Date().toISOString(),
    service: serviceName,
    stage,
    // All versions write to one log group.
    functionVersion,
    release,
    code,
    ...fields,
  });
};

export type LogLine = { level: string; message: string; [field: string]: unknown };

/** Writes a line as JSON to the stream, because Lambda would wrap the output of `console`. */
let write = (line: LogLine): void => {
  const { stdout, stderr } = process;
  (line.level === 'INFO' ? stdout : stderr).write(`${logLineText(line)}\n`);
};

/** Sends the lines elsewhere, as `npm start` does. */
export function setLogOutput(output: typeof write): void {
  write = output;
}

/** Returns a log line as JSON. It never throws, because a request must get its response whatever went wrong. */
export function logLineText(line: object): string {
  try {
    return JSON.stringify(line, replaceField);
  } catch (error) {
    // Only a cause can be anything.
    return JSON.stringify({ ...line, cause: `It cannot be logged: ${error}` }, replaceField);
  }
}

/** Keeps four members of an error, because others may contain the request. */
function replaceField(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (!(value instanceof Error)) return value;
  const { name, message, stack, cause } = value;
  return { name, message, stack, cause };
}
