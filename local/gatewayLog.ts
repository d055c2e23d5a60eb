import type { IncomingMessage } from 'node:http';
import { inspect } from 'node:util';
import type { ApiResponse } from '../lib/http/event.ts';
import { type LogLine, logLineText } from '../lib/logging.ts';
import { maskApiKeys } from './maskApiKeys.ts';
import { splitTarget } from './proxyEvent.ts';

type RequestLine = ReturnType<typeof requestLine>;

/**
 * The gateway logs a `RequestLine` for each request. Functions log a `LogLine`, and so does the
 * gateway itself.
 */
export type GatewayLog = (line: RequestLine | LogLine) => void;

type Output = NodeJS.WritableStream & { isTTY?: boolean; hasColors?: () => boolean };

/**
 * Returns a log that writes one JSON object a line.
 *
 * A terminal shows the objects with readable stacks, in colour unless NO_COLOR is set.
 */
export function gatewayLog(output: Output = process.stdout): GatewayLog {
  const toText = output.isTTY ? terminalText(output.hasColors?.() ?? false) : jsonText;
  return (line) => {
    output.write(`${maskApiKeys(toText(line))}\n`);
  };
}

export function requestLine(
  { method = '', url = '/' }: IncomingMessage,
  { statusCode: status, headers, body }: ApiResponse,
  durationMs: number,
) {
  return {
    level: status >= 500 ? 'ERROR' : status >= 400 ? 'WARN' : 'INFO',
    method,
    // The query is left out, because it may contain anything. Node.js accepts only printable ASCII
    // in a path.
    path: splitTarget(url).path,
    status,
    durationMs: Number(durationMs.toFixed(1)),
    // A response to HEAD has no body.
    ...(status >= 400 && body.length > 0 && { errorCode: String(JSON.parse(body).code) }),
    requestId: headers['X-Request-Id'] ?? '',
  };
}

function jsonText(line: object): string {
  return logLineText({ timestamp: new Date().toISOString(), ...line });
}

function terminalText(colors: boolean): (line: object) => string {
  return (line) => inspect(line, { colors, breakLength: Number.POSITIVE_INFINITY });
}
