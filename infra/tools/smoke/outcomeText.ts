import { styleText } from 'node:util';
import { CheckFailure } from './Check.ts';
import type { Outcome } from './runChecks.ts';

/** One line a check, and under a failed one what was expected, what came, and of which request. */
export function outcomeText({ title, durationMs, trouble }: Outcome): string {
  const duration = styleText('dim', `${durationMs.toFixed(0)} ms`.padStart(8));
  if (trouble === undefined) return `${styleText('green', '✓')} ${duration}  ${title}`;
  if (!(trouble instanceof CheckFailure)) {
    return `${styleText('yellow', '–')} ${duration}  ${title}: not seen, ${trouble.message}`;
  }
  const { expected, got, answer } = trouble;
  const lines = [
    `${styleText('red', '✗')} ${duration}  ${styleText('bold', title)}`,
    `expected  ${expected}`,
    `got       ${got}`,
    ...(answer ? [`answer    ${answer.status} to ${answer.request}, ${requestId(answer)}`] : []),
  ];
  return lines.join(`\n${detailIndent}`);
}

const detailIndent = ' '.repeat('✓     0 ms  '.length);

function requestId({ headers }: { headers: Headers }): string {
  return `X-Request-Id ${headers.get('X-Request-Id') ?? 'missing'}`;
}
