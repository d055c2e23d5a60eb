import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { machine } from './machine.ts';

const docs = join(import.meta.dirname, '..', '..', 'docs');

type Results = {
  /** Of the section of `docs/performance.md`, and of the files beside it. */
  name: 'cold' | 'warm';
  isWritten: boolean;
  rounds: number;
  markdown: string;
  results: unknown;
  plot: string;
};

/** Prints what was measured, and on what; keeps it in `docs/` where it shall be written. */
export function writeResults({ name, isWritten, rounds, markdown, results, plot }: Results): void {
  const measuredOn = `Measured on ${machine()}, in ${rounds} rounds.`;
  const section = `${measuredOn}\n\n${markdown}`;
  process.stdout.write(`${section}\n`);
  if (!isWritten) return;

  const folder = join(docs, 'performance');
  mkdirSync(folder, { recursive: true });
  const json = JSON.stringify({ machine: machine(), rounds, results }, null, 2);
  writeFileSync(join(folder, `${name}.json`), `${json}\n`);
  writeFileSync(join(folder, `${name}.svg`), plot);

  const document = join(docs, 'performance.md');
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const [before = '', rest = ''] = readFileSync(document, 'utf8').split(begin);
  const [, after = ''] = rest.split(end);
  writeFileSync(document, `${before}${begin}\n\n${section}\n\n${end}${after}`);
}

/** A table in Markdown; all but the first column are numbers. */
export function table(head: string[], rows: string[][]): string {
  const rule = head.map((_, column) => (column === 0 ? '---' : '--:'));
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
