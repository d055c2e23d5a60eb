import { styleText } from 'node:util';
import type { HandledRequest } from './localGateway.ts';

/** What the log says of a request: neither a header, nor a body, nor a query. */
export type LoggedRequest = HandledRequest & { time: Date };

/** For a person at a terminal: the path comes last, because all before it has a known width. */
export function requestRow(request: LoggedRequest): string {
  const { time, method, status, durationMs, path } = request;
  const clock = time.toTimeString().slice(0, 'hh:mm:ss'.length);
  const duration = `${durationMs.toFixed(1)} ms`.padStart(10);
  return [
    styleText('dim', clock),
    styledStatus(status),
    method.padEnd(7),
    styleText('dim', duration),
    path,
  ].join('  ');
}

/** For a file or a pipe: the whole time, and no column wider than its content. */
export function requestLine({ time, method, path, status, durationMs }: LoggedRequest): string {
  return [
    styleText('dim', time.toISOString()),
    `${method} ${path}`,
    styledStatus(status),
    `${durationMs.toFixed(1)} ms`,
  ].join('  ');
}

/** Only what is printable in ASCII, so that a path cannot write a line of its own, and no key. */
export function printablePath(path: string): string {
  return path
    .replaceAll(/[^\x21-\x7e]/g, encodeURIComponent)
    .replaceAll(/ps_[A-Za-z0-9-]+_[\w-]{20,}/g, 'ps_***');
}

function styledStatus(status: number): string {
  const colour = status >= 500 ? 'red' : status >= 300 ? 'yellow' : 'green';
  return styleText(colour, String(status));
}
