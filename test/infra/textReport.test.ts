import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import {
  hasTerminal,
  logLines,
  request,
  startAtTerminal,
  startService,
} from '../helpers/npmScript.ts';

const colours = new RegExp(`${String.fromCharCode(0x1b)}\\[\\d+m`);

/** What a terminal turns into SIGINT for all that runs in it. */
const ctrlC = '\u0003';

if (!hasTerminal)
  process.stderr.write('*** SKIPPED: no `script` of Linux here, so no test at a terminal. ***\n');

describe('textReport', () => {
  it('prints colours with FORCE_COLOR', async () => {
    const service = await startService(['--in-memory'], { FORCE_COLOR: '1' });
    const banner = service.stdout;

    await request(service, '/pets');
    await request(service, '/pets/x');

    const [ok, notFound] = await logLines(service, banner, 2);
    expect(banner).toMatch(colours);
    expect(ok).toContain('\u001b[32m200\u001b[39m');
    expect(notFound).toContain('\u001b[33m404\u001b[39m');
  });

  it.skipIf(!hasTerminal)('draws a bar, colours and columns at a terminal', async () => {
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

  it.skipIf(!hasTerminal)('draws no colours with NO_COLOR, at a terminal either', async () => {
    const terminal = startAtTerminal(['--in-memory', '--port', '0', '--watch'], { NO_COLOR: '1' });
    await vi.waitUntil(() => terminal.stdout.includes('Ctrl+C'), { timeout: 10_000 });

    // Reaches the service twice, once by the terminal and once by what watches it.
    terminal.process.stdin.write(ctrlC);

    expect(await terminal.exited).toBe(0);
    expect(terminal.stdout).not.toMatch(colours);
    expect(terminal.stdout.match(/Stopped\./g)).toHaveLength(1);
  });
});
