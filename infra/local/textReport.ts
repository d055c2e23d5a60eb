import { styleText } from 'node:util';
import { maskApiKeys } from '../maskApiKeys.ts';
import { readableStack } from '../readableStack.ts';
import { oncePerQuarter, printablePath, type Report, type StartedService } from './jsonReport.ts';
import type { HandledRequest } from './localGateway.ts';
import type { SeedProgress } from './seedPets.ts';

type Output = NodeJS.WritableStream & { isTTY?: boolean; columns?: number };

type Style = (format: 'bold' | 'cyan' | 'dim' | 'green' | 'red' | 'yellow', text: string) => string;

const redrawEveryMs = 100;

/** For a terminal that does not report its width. */
const defaultColumns = 80;

/** Shorter bars show less than the numbers beside them. */
const minBarColumns = 10;

const toLineStart = '\r';
const eraseToLineEnd = '\u001b[K';

/**
 * Reports to a person.
 *
 * A terminal gets aligned columns and a progress bar that is redrawn in place. A file or a pipe gets
 * plain lines. `styleText` decides on colours, by NO_COLOR, FORCE_COLOR and the terminal.
 */
export function textReport(
  output: Output = process.stdout,
  errors: NodeJS.WritableStream = process.stderr,
): Report {
  const isTerminal = output.isTTY === true && process.env.TERM !== 'dumb';
  const style: Style = (format, text) => styleText(format, text, { stream: output });
  let isBarShown = false;

  function print(text: string): void {
    output.write(`${isBarShown ? toLineStart + eraseToLineEnd : ''}${text}\n`);
    isBarShown = false;
  }

  function drawBar(progress: SeedProgress): void {
    const bar = progressBar(progress, output.columns || defaultColumns);
    output.write(`${toLineStart}${bar}${eraseToLineEnd}`);
    isBarShown = true;
  }

  return {
    seeding: isTerminal
      ? atIntervals(drawBar)
      : oncePerQuarter((progress) => print(progressLine(progress))),
    seeded: (progress) => print(seededLine(progress)),
    started: (service) => print(banner(service, style)),
    handled: (request) => print(requestText(request, style, isTerminal)),
    failed: (message, fields) => errors.write(`${failureText(message, fields, style)}\n`),
    restarting: (file) => print(`\n${style('yellow', `${file} changed, restarting.`)}`),
    stopped: () => print('Stopped.'),
  };
}

function banner(
  { baseAddress, docsAddress, apiKey, database }: StartedService,
  style: Style,
): string {
  const rows = [
    ['Pet store', style('cyan', baseAddress)],
    ['Docs', style('cyan', docsAddress)],
    ['API key', apiKey],
    ['Try', `curl -H 'Authorization: Bearer ${apiKey}' ${baseAddress}/pets`],
    ['Database', database],
    ['Stop', 'Ctrl+C'],
  ] as const;
  const lines = rows.map(([label, value]) => `${style('bold', label.padEnd(10))}  ${value}`);
  return `${lines.join('\n')}\n`;
}

/** A request as a row of a terminal, with the path last because its width varies, or as a line of a file. */
function requestText(request: HandledRequest, style: Style, isTerminal: boolean): string {
  const { method, path, status, durationMs, error } = request;
  const now = new Date();
  const duration = `${durationMs.toFixed(1)} ms`;
  const colour = status >= 500 ? 'red' : status >= 300 ? 'yellow' : 'green';
  const styledStatus = style(colour, String(status));
  const cells = isTerminal
    ? [
        style('dim', now.toTimeString().slice(0, 'hh:mm:ss'.length)),
        styledStatus,
        method.padEnd(7),
        style('dim', duration.padStart(10)),
        printablePath(path),
      ]
    : [style('dim', now.toISOString()), `${method} ${printablePath(path)}`, styledStatus, duration];
  if (error) cells.push(error.code, error.fields.join(', '), style('dim', error.requestId));
  return cells.filter(Boolean).join('  ');
}

/** A logged error with its causes, each with a stack that a person can read. */
function failureText(message: string, fields: Record<string, unknown>, style: Style): string {
  const { cause, ...others } = fields;
  const entries = Object.entries(others).filter(([, value]) => value !== undefined);
  const stacks: string[] = [];
  for (let error = cause; error instanceof Error; error = error.cause) {
    stacks.push(readableStack(error.stack ?? error.message));
  }
  return maskApiKeys(
    [
      `${style('red', message)}  ${entries.map(([name, value]) => `${name}=${value}`).join(' ')}`,
      stacks.join('\nCaused by: '),
    ].join('\n'),
  );
}

function atIntervals(draw: Report['seeding']): Report['seeding'] {
  let drawnAtMs = Number.NEGATIVE_INFINITY;
  return (progress) => {
    if (progress.elapsedMs - drawnAtMs < redrawEveryMs) return;
    drawnAtMs = progress.elapsedMs;
    draw(progress);
  };
}

/** Draws the progress as one line that fits the terminal, with a bar if there is room. */
export function progressBar(progress: SeedProgress, columns: number): string {
  const { writtenPets, totalPets } = progress;
  const { pets, percent, rate } = progressTexts(progress);
  const numbers = `${pets}  ${percent.padStart(5)}  ${rate.padStart(13)}`;
  // Some terminals wrap as soon as the last column is filled.
  const barColumns = columns - 1 - '  '.length - numbers.length;
  if (barColumns < minBarColumns) return numbers.slice(0, columns - 1);
  const filledColumns = Math.floor((barColumns * writtenPets) / totalPets);
  return `${'█'.repeat(filledColumns).padEnd(barColumns, '░')}  ${numbers}`;
}

function progressLine(progress: SeedProgress): string {
  const { pets, percent, rate } = progressTexts(progress);
  if (progress.writtenPets === 0) return `Adding ${count(progress.totalPets)} sample pets …`;
  return `Added ${pets}  ${percent}  ${rate}`;
}

function seededLine(progress: SeedProgress): string {
  const { writtenPets, totalPets, elapsedMs } = progress;
  const outcome =
    writtenPets < totalPets
      ? `Stopped after ${count(writtenPets)} of ${count(totalPets)} sample pets`
      : `Added ${count(totalPets)} sample pets`;
  return `${outcome} in ${(elapsedMs / 1000).toFixed(1)} s, ${progressTexts(progress).rate}.\n`;
}

function progressTexts({ writtenPets, totalPets, elapsedMs }: SeedProgress) {
  const petsPerSecond = elapsedMs > 0 ? (1000 * writtenPets) / elapsedMs : 0;
  return {
    // Padded, so that the bar keeps its length.
    pets: `${count(writtenPets).padStart(count(totalPets).length)} of ${count(totalPets)} pets`,
    percent: `${Math.floor((100 * writtenPets) / totalPets)} %`,
    rate: `${count(petsPerSecond)} pets/s`,
  };
}

function count(pets: number): string {
  return pets.toLocaleString('en', { maximumFractionDigits: 0 });
}
