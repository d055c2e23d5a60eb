import type { IncomingMessage } from 'node:http';
import { styleText } from 'node:util';
import { maskApiKeys } from './maskApiKeys.ts';
import { type GatewayResponse, splitTarget } from './proxyEvent.ts';

type RequestLine = {
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

/** A line that is not about a request, or that a function logs. */
type MessageLine = { level: string; message: string; cause?: unknown };

export type GatewayLog = (line: RequestLine | MessageLine) => void;

type Output = NodeJS.WritableStream & { isTTY?: boolean };

/** Returns a log that writes short text to a terminal, and otherwise one JSON object a line. */
export function gatewayLog(output: Output = process.stdout): GatewayLog {
  const toText = output.isTTY ? terminalText : jsonText;
  return (line) => {
    output.write(`${maskApiKeys(toText(line))}\n`);
  };
}

/** Returns the line of a request. */
export function requestLine(
  { method = '', url = '/' }: IncomingMessage,
  { statusCode: status, headers, body }: GatewayResponse,
  durationMs: number,
): RequestLine {
  return {
    method,
    // Printable ASCII only, so that a path cannot forge a line.
    path: splitTarget(url).path.replaceAll(/[^\x21-\x7e]/g, encodeURIComponent),
    status,
    durationMs: Number(durationMs.toFixed(1)),
    ...(status >= 400 && readError(String(body))),
    ...(status >= 500 && { requestId: headers['X-Request-Id'] ?? '' }),
  };
}

function readError(body: string): Pick<RequestLine, 'errorCode' | 'invalid'> {
  const { code, message = '' } = JSON.parse(body) as { code: string; message?: string };
  const names = [...message.matchAll(/(?:^|; )([\w-]+) must /g)].map(([, name = '']) => name);
  return { errorCode: code, ...(names.length > 0 && { invalid: [...new Set(names)] }) };
}

function jsonText(line: object): string {
  return JSON.stringify({ timestamp: new Date().toISOString(), ...line }, (_name, value) => {
    if (typeof value === 'bigint') return String(value);
    if (!(value instanceof Error)) return value;
    // These four members only: some errors contain the request.
    const { name, message, stack, cause } = value;
    return { name, message, stack, cause };
  });
}

function terminalText(line: RequestLine | MessageLine): string {
  const time = new Date().toTimeString().slice(0, 8);
  if ('path' in line) return `${time} ${requestText(line)}`;
  return [`${time} ${line.message}`, ...stacksOf(line.cause)].join('\n');
}

function stacksOf(error: unknown): string[] {
  return error instanceof Error ? [String(error.stack), ...stacksOf(error.cause)] : [];
}

/** The request id of a 5xx has a second line. */
function requestText({ status, method, durationMs, path, ...line }: RequestLine): string {
  const color = status >= 500 ? 'red' : status >= 400 ? 'yellow' : 'green';
  const duration = `${durationMs.toFixed(1)} ms`.padStart(9);
  const outcome = [line.errorCode, line.invalid?.join(', ')].filter(Boolean).join(' ');
  const columns = [styleText(color, String(status)), method.padEnd(7), duration, '', path];
  const text = [...columns, '', outcome].join(' ').trimEnd();
  return line.requestId ? `${text}\n         request id ${line.requestId}` : text;
}
