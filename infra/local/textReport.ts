import { styleText } from 'node:util';
import { banner } from './banner.ts';
import { oncePerQuarter } from './oncePerQuarter.ts';
import { progressBar, progressLine, seededLine } from './progressBar.ts';
import type { Report } from './Report.ts';
import { printablePath, requestLine, requestRow } from './requestLine.ts';
import type { SeedProgress } from './seedPets.ts';

/** Often enough to look smooth, and seldom enough to cost nothing. */
const redrawEveryMs = 100;

/** What a terminal has that does not tell its width. */
const usualColumns = 80;

const toLineStart = '\r';
const eraseToLineEnd = '\u001b[K';

/**
 * Reports to a person.
 *
 * On a terminal the columns are aligned and the progress of a seeding is one line that is drawn anew;
 * elsewhere it is a few lines. Colours are left to `styleText`, which knows NO_COLOR and FORCE_COLOR.
 */
export function textReport(): Report {
  const { stdout } = process;
  const isTerminal = stdout.isTTY && process.env.TERM !== 'dumb';
  let isBarShown = false;

  function print(text: string): void {
    stdout.write(`${isBarShown ? toLineStart + eraseToLineEnd : ''}${text}\n`);
    isBarShown = false;
  }

  function drawBar(progress: SeedProgress): void {
    const bar = progressBar(progress, stdout.columns || usualColumns);
    stdout.write(`${toLineStart}${bar}${eraseToLineEnd}`);
    isBarShown = true;
  }

  return {
    seeding: isTerminal
      ? atIntervals(drawBar)
      : oncePerQuarter((progress) => print(progressLine(progress))),
    seeded: (progress) => print(seededLine(progress)),
    started: (service) => print(banner(service)),
    handled(request) {
      const logged = { ...request, path: printablePath(request.path), time: new Date() };
      print(isTerminal ? requestRow(logged) : requestLine(logged));
    },
    restarting: (file) => print(`\n${styleText('yellow', `${file} changed: starting again.`)}`),
    stopped: () => print('Stopped.'),
  };
}

function atIntervals(draw: Report['seeding']): Report['seeding'] {
  let drawnAtMs = Number.NEGATIVE_INFINITY;
  return (progress) => {
    if (progress.elapsedMs - drawnAtMs < redrawEveryMs) return;
    drawnAtMs = progress.elapsedMs;
    draw(progress);
  };
}
