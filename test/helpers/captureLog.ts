import { vi } from 'vitest';

type LogLine = Record<string, unknown>;

type CapturedLog = {
  /** Everything that was written. */
  text: () => string;
  /** The parsed lines. */
  lines: () => LogLine[];
  /** The parsed lines that carry metrics, in CloudWatch's embedded metric format. */
  metrics: () => LogLine[];
};

/** Collects what this process writes to stdout and stderr until the test ends. */
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
    lines: parsed,
    metrics: () => parsed().filter((line) => '_aws' in line),
  };
}
