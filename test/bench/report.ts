import { readFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { print } from '../../infra/tools/command.ts';

/** Shows the progress of a bench, on one line of a terminal. */
export function showRound(round: number, rounds: number): void {
  process.stderr.write(`\rround ${round} of ${rounds}${round === rounds ? '\n' : ''}`);
}

/** Prints what was measured where, and the Markdown table of the results. */
export function printReport(
  what: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  print(`${what}. ${machine()}.\n\n${markdownTable(head, rows)}`);
}

function machine(): string {
  const [cpu] = cpus();
  // A virtual machine hides the name of its processor, but not these.
  const [, family] = /cpu family\s*: (\d+)/.exec(readFileSync('/proc/cpuinfo', 'utf8')) ?? [];
  const [, model] = /model\s*: (\d+)/.exec(readFileSync('/proc/cpuinfo', 'utf8')) ?? [];
  const ids = family === undefined ? '' : ` (family ${family}, model ${model})`;
  const memoryGb = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} × ${cpu?.model.trim()}${ids}, ${memoryGb} GB, Linux ${release()}, Node.js ${process.version}`;
}

export const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

/** Columns of numbers are aligned to the right. */
function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const columns = head.map((title, column) => {
    const cells = rows.map((row) => row[column] ?? '');
    const width = Math.max(3, title.length, ...cells.map((cell) => cell.length));
    const isNumeric = cells.every((cell) => /^[\d,.]+( ms| MB)?$/.test(cell));
    const align = (cell: string) => (isNumeric ? cell.padStart(width) : cell.padEnd(width));
    return [title, '', ...cells].map((cell, line) =>
      line === 1 ? '-'.repeat(width - 1) + (isNumeric ? ':' : '-') : align(cell),
    );
  });
  return [head, head, ...rows]
    .map((_, line) => `| ${columns.map((cells) => cells[line]).join(' | ')} |`)
    .join('\n');
}
