import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';

/** Shows the progress of a bench, on one line of a terminal. */
export function showRound(round: number, rounds: number): void {
  process.stderr.write(`\rround ${round} of ${rounds}${round === rounds ? '\n' : ''}`);
}

/** The machine of the measurement, in one line. */
export function machine(): string {
  const [cpu] = cpus();
  const { family = '', model = '' } = cpuIds();
  const name = `${cpu?.model.trim()}${family && ` (family ${family}, model ${model})`}`;
  const memoryGb = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} × ${name}, ${memoryGb} GB, Linux ${release()}, Node.js ${process.version}`;
}

/** A virtual machine hides the name of its processor, but not these. */
function cpuIds(): { family?: string | undefined; model?: string | undefined } {
  try {
    const text = readFileSync('/proc/cpuinfo', 'utf8');
    return {
      family: /cpu family\s*: (\d+)/.exec(text)?.[1],
      model: /model\s*: (\d+)/.exec(text)?.[1],
    };
  } catch {
    return {};
  }
}

export const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

/** Returns a Markdown table with aligned columns. Columns of numbers are aligned to the right. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const lines = [head, ...rows];
  const columns = head.map((_, column) => ({
    width: Math.max(3, ...lines.map((cells) => cells[column]?.length ?? 0)),
    isNumeric: rows.every((cells) => /^[-+$]?[\d,.]+( %)?$/.test(cells[column] ?? '')),
  }));
  const [first = '', ...rest] = lines.map((cells) =>
    row(
      columns.map(({ width, isNumeric }, column) => {
        const cell = cells[column] ?? '';
        return isNumeric ? cell.padStart(width) : cell.padEnd(width);
      }),
    ),
  );
  const rule = row(
    columns.map(({ width, isNumeric }) => `${'-'.repeat(width - 1)}${isNumeric ? ':' : '-'}`),
  );
  return [first, rule, ...rest].join('\n');
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** Replaces a section of a file, see `withSection`. */
export function writeSection(file: string, name: string, text: string): void {
  writeFileSync(file, withSection(readFileSync(file, 'utf8'), name, text));
}

/**
 * Replaces the text between two markers of a document: `<!-- name -->` and `<!-- /name -->`.
 *
 * Throws if the document has no such section.
 */
export function withSection(document: string, name: string, text: string): string {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const from = document.indexOf(begin);
  const to = document.indexOf(end);
  if (from === -1 || to < from) throw new Error(`The document has no section ${name}.`);
  return `${document.slice(0, from + begin.length)}\n\n${text}\n\n${document.slice(to)}`;
}
