import { config } from './config.ts';

const levels = ['INFO', 'WARN', 'ERROR', 'OFF'] as const;
type LogLevel = Exclude<(typeof levels)[number], 'OFF'>;

/**
 * Writes one log line as JSON on stdout.
 *
 * Callers pass identifiers and outcomes, never a header, a body or a key. An `Error` is written with
 * its stack and its causes.
 */
export function log(level: LogLevel, message: string, fields: Record<string, unknown> = {}): void {
  if (levels.indexOf(level) < levels.indexOf(config.logLevel)) return;
  const line = { level, time: new Date().toISOString(), stage: config.stage, message, ...fields };
  // Not `console`: Lambda puts a prefix before its lines, and they are no longer JSON.
  process.stdout.write(`${JSON.stringify(line, errorsAsObjects)}\n`);
}

function errorsAsObjects(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (!(value instanceof Error)) return value;
  const { name, message, stack, cause } = value;
  return { name, message, stack, cause };
}
