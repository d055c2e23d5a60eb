import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { progressBar } from '../../infra/local/textReport.ts';
import {
  hasTerminal,
  logLines,
  request,
  startAtTerminal,
  startService,
} from '../helpers/npmScript.ts';

const colours = new RegExp(`${String.fromCharCode(0x1b)}\\[\\d+m`);

/** A terminal sends SIGINT to all its processes for it. */
const ctrlC = '\u0003';

if (!hasTerminal)
  process.stderr.write(
    '*** SKIPPED: the tests at a terminal need the `script` command of Linux. ***\n',
  );

describe('textReport', () => {
  it('prints colours if FORCE_COLOR is set', async () => {
    const service = await startService(['--in-memory'], { FORCE_COLOR: '1' });
    const banner = service.stdout;

    await request(service, '/pets');
    await request(service, '/pets/x');

    const [ok, notFound] = await logLines(service, banner, 2);
    expect(banner).toMatch(colours);
    expect(ok).toContain('\u001b[32m200\u001b[39m');
    expect(notFound).toContain('\u001b[33m404\u001b[39m');
  });

  it.skipIf(!hasTerminal)('draws a progress bar, colours and columns at a terminal', async () => {
    const terminal = startAtTerminal(['--in-memory', '--port', '0', '--seed', '500']);
    await vi.waitUntil(() => terminal.stdout.includes('Ctrl+C'), { timeout: 10_000 });
    const baseAddress = /http:\/\/localhost:\d+\/v1/.exec(terminal.stdout)?.[0];
    await fetch(`${baseAddress}/pets?limit=1`);
    await vi.waitUntil(() => terminal.stdout.includes(' ms'));

    terminal.process.stdin.write(ctrlC);

    expect(await terminal.exited).toBe(0);
    const plain = stripVTControlCharacters(terminal.stdout);
    const [bars = '', ...lines] = plain.split('\r\n');
    expect(bars).toMatch(/^(\r[█░]{10,} {2,}[\d,]+ of 500 pets +\d+ % +[\d,]+ pets\/s)+\rAdded/);
    expect(Math.max(...bars.split('\r').map(({ length }) => length))).toBeLessThan(60);
    expect(lines).toContainEqual(
      expect.stringMatching(/^\d\d:\d\d:\d\d {2}401 {2}GET {6} +\d+\.\d ms {2}\/v1\/pets$/),
    );
    expect(terminal.stdout).toContain('\u001b[33m401\u001b[39m');
  });

  it.skipIf(!hasTerminal)('prints no colours at a terminal if NO_COLOR is set', async () => {
    const terminal = startAtTerminal(['--in-memory', '--port', '0', '--watch'], { NO_COLOR: '1' });
    await vi.waitUntil(() => terminal.stdout.includes('Ctrl+C'), { timeout: 10_000 });

    // Reaches the service from the terminal and from the watching process.
    terminal.process.stdin.write(ctrlC);

    expect(await terminal.exited).toBe(0);
    expect(terminal.stdout).not.toMatch(colours);
    expect(terminal.stdout.match(/Stopped\./g)).toHaveLength(1);
  });
});

const progress = { writtenPets: 45_000, totalPets: 100_000, elapsedMs: 7_000 };

describe('progressBar', () => {
  it('shows count, percent and rate beside a bar that fills the line', () => {
    expect(progressBar(progress, 80)).toBe(
      `${'█'.repeat(14)}${'░'.repeat(18)}   45,000 of 100,000 pets   45 %   6,429 pets/s`,
    );
  });

  it.each([20, 40, 60, 80, 200])('leaves the last of %i columns empty', (columns) => {
    expect(progressBar(progress, columns).length).toBeLessThan(columns);
  });

  it('omits the bar if it would be too short to read', () => {
    expect(progressBar(progress, 50)).toBe(' 45,000 of 100,000 pets   45 %   6,429 pets/s');
  });

  it('keeps its length from start to end', () => {
    const lengths = [0, 1, 50_000, 100_000].map(
      (writtenPets) => progressBar({ ...progress, writtenPets }, 80).length,
    );

    expect(new Set(lengths)).toEqual(new Set([79]));
  });
});
