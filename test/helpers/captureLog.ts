import { vi } from 'vitest';

/** Collects what this process writes to stdout and stderr until the test ends. */
export function captureLog() {
  const chunks: string[] = [];
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, 'write').mockImplementation((chunk) => {
      chunks.push(String(chunk));
      return true;
    });
  }
  const text = () => chunks.join('');
  const lines = () =>
    text()
      .split('\n')
      .filter(Boolean)
      .map((line): Record<string, unknown> => JSON.parse(line));
  // In CloudWatch's embedded metric format.
  const metrics = () => lines().filter((line) => '_aws' in line);
  return { text, lines, metrics };
}
