import { vi } from 'vitest';

type LogLine = Record<string, unknown>;

type CapturedLog = {
  /** All that was written, as it was. */
  text: () => string;
  /** The lines of the log, parsed, without those that carry metrics. */
  lines: () => LogLine[];
  /** The lines that carry metrics, in CloudWatch's embedded metric format. */
  metrics: () => LogLine[];
};

/** Keeps what this process writes to its streams, and off the terminal, until the test ends. */
export function captureLog(): CapturedLog {
  const chunks: string[] = [];
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, 'write').mockImplementation((chunk) => {
      chunks.push(String(chunk));
      return true;
    });
  }
  const text = () => chunks.join('');
  const parsed = () =>
    text()
      .split('\n')
      .filter(Boolean)
      .map((line): LogLine => JSON.parse(line));
  return {
    text,
    lines: () => parsed().filter((line) => !('_aws' in line)),
    metrics: () => parsed().filter((line) => '_aws' in line),
  };
}
