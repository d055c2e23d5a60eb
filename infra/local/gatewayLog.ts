import type { FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify';
import { prettyFactory } from 'pino-pretty';
import { maskApiKeys } from './maskApiKeys.ts';
import { splitTarget } from './proxyEvent.ts';

type RequestFields = {
  method: string;
  /** Without the query, which may hold anything. */
  path: string;
  status: number;
  durationMs: number;
  errorCode?: string;
  /** The names of the invalid fields, without their values. */
  invalid?: string[];
  /** Only of a 5xx, whose other lines have it too. */
  requestId?: string;
};

type ErrorFields = { type: string; message: string; stack: string; cause?: ErrorFields };

type Output = NodeJS.WritableStream & { isTTY?: boolean };

/** Returns settings for Fastify's logger: text for a terminal, otherwise one JSON object a line. */
export function gatewayLog(output: Output = process.stdout): FastifyServerOptions['logger'] {
  const format = output.isTTY ? formatLine : String;
  return {
    base: null,
    serializers: { err: errorFields },
    stream: { write: (line: string) => output.write(maskApiKeys(format(line))) },
  };
}

/** Returns what the log says about a request. */
export function requestFields(
  { method, originalUrl }: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): RequestFields {
  const { statusCode: status, elapsedTime } = reply;
  return {
    method,
    // Printable ASCII only, so that a path cannot forge a line.
    path: maskApiKeys(
      splitTarget(originalUrl).path.replaceAll(/[^\x21-\x7e]/g, encodeURIComponent),
    ),
    status,
    durationMs: Number(elapsedTime.toFixed(1)),
    ...(status >= 400 && readError(String(payload))),
    ...(status >= 500 && { requestId: String(reply.getHeader('X-Request-Id')) }),
  };
}

function readError(body: string): Pick<RequestFields, 'errorCode' | 'invalid'> {
  const { code, message = '' } = JSON.parse(body) as { code: string; message?: string };
  const names = [...message.matchAll(/(?:^|; )([\w-]+) must /g)].map(([, name = '']) => name);
  return { errorCode: code, ...(names.length > 0 && { invalid: [...new Set(names)] }) };
}

/** Keeps four members of an error: some errors contain the request. */
function errorFields({ name, message, stack = '', cause }: Error): ErrorFields {
  const fields = { type: name, message, stack };
  return cause instanceof Error ? { ...fields, cause: errorFields(cause) } : fields;
}

const maxColumns = 80;

/** Of the time, the status, the method, the duration and the spaces. */
const columnsBesidePath = 36;

/** Lines of a terminal, which fit 80 columns. The request id of a 5xx has a second line. */
const formatLine = prettyFactory({
  translateTime: 'SYS:HH:MM:ss',
  // The members of a request are in its message. The others are the same in all lines.
  ignore: [
    ...['level', 'method', 'path', 'status', 'durationMs', 'errorCode', 'invalid', 'requestId'],
    ...['service', 'stage', 'timestamp', 'functionVersion', 'function_request_id', 'cold_start'],
  ].join(),
  customColors: { message: 'reset' },
  messageFormat: (line, messageKey, _level, { colors }) => {
    if (line.status === undefined) return String(line[messageKey]);
    const { method, path, status, durationMs, errorCode, invalid, requestId } =
      line as RequestFields;
    const colour = status >= 500 ? colors.red : status >= 400 ? colors.yellow : colors.green;
    const duration = `${durationMs.toFixed(1)} ms`.padStart(8);
    const outcome = [errorCode, invalid?.join(', ')].filter(Boolean).join(' ');
    const room = Math.max(maxColumns - columnsBesidePath - outcome.length, 8);
    const shownPath = path.length > room ? `${path.slice(0, room - 1)}…` : path;
    const columns = [
      colour(String(status)),
      method.padEnd(7),
      `${duration} `,
      `${shownPath} `,
      outcome,
    ];
    const text = columns.join(' ').trimEnd();
    return requestId ? `${text}\n    request id ${requestId}` : text;
  },
});
