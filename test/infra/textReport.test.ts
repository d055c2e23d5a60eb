import { spawnSync } from 'node:child_process';
import { Writable } from 'node:stream';
import { WriteStream } from 'node:tty';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { jsonReport } from '../../infra/local/jsonReport.ts';
import { progressBar, textReport } from '../../infra/local/textReport.ts';
import { startProcess } from '../helpers/npmScript.ts';

const colours = new RegExp(`${String.fromCharCode(0x1b)}\\[\\d+m`);

/** A terminal sends SIGINT to all its processes for it. */
const ctrlC = '\u0003';

/** Whether this machine has the `script` command of Linux. That of macOS takes other options. */
const hasTerminal = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;

if (!hasTerminal)
  process.stderr.write(
    '*** SKIPPED: the test at a terminal needs the `script` command of Linux. ***\n',
  );

/** A stream that keeps what a report prints. */
function collectingStream() {
  const written: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      written.push(String(chunk));
      done();
    },
  });
  return Object.assign(stream, { text: () => written.join('') });
}

/** The same as a terminal of 60 columns. */
function terminalStream() {
  vi.stubEnv('TERM', 'xterm');
  const { getColorDepth } = WriteStream.prototype;
  return Object.assign(collectingStream(), { isTTY: true, columns: 60, getColorDepth });
}

const error = { code: 'bad_request', fields: ['name', 'categoryId'], requestId: 'b-1' };
const request = { method: 'GET', path: '/v1/pets', status: 200, durationMs: 12.34 };
const service = {
  baseAddress: 'http://localhost:3000/v1',
  docsAddress: 'http://localhost:3000/',
  apiKey: 'ps_local_x',
  database: 'embedded, in memory',
};

describe('textReport', () => {
  it('prints colours if FORCE_COLOR is set', () => {
    vi.stubEnv('FORCE_COLOR', '1');
    const output = collectingStream();
    const report = textReport(output);

    report.started(service);
    const banner = output.text();
    report.handled(request);
    report.handled({ ...request, status: 404 });
    report.handled({ ...request, status: 500 });

    expect(banner).toMatch(colours);
    expect(output.text()).toContain('\u001b[32m200\u001b[39m');
    expect(output.text()).toContain('\u001b[33m404\u001b[39m');
    expect(output.text()).toContain('\u001b[31m500\u001b[39m');
  });

  it('draws a progress bar, colours and columns at a terminal', () => {
    for (const name of ['NO_COLOR', 'FORCE_COLOR', 'CI']) vi.stubEnv(name, undefined);
    const output = terminalStream();
    const report = textReport(output);

    report.seeding({ writtenPets: 0, totalPets: 500, elapsedMs: 0 });
    report.seeding({ writtenPets: 25, totalPets: 500, elapsedMs: 99 });
    report.seeding({ writtenPets: 250, totalPets: 500, elapsedMs: 100 });
    report.seeded({ writtenPets: 500, totalPets: 500, elapsedMs: 200 });
    report.handled({ ...request, status: 401 });

    const [bars = '', , row] = stripVTControlCharacters(output.text()).split('\n');
    expect(bars).toMatch(/^(\r[█░]{10,} {2,}(0|250) of 500 pets +\d+ % +[\d,]+ pets\/s){2}\rAdded/);
    expect(Math.max(...bars.split('\r').map(({ length }) => length))).toBeLessThan(60);
    expect(row).toMatch(/^\d\d:\d\d:\d\d {2}401 {2}GET {6} +12\.3 ms {2}\/v1\/pets$/);
    expect(output.text()).toContain('\u001b[33m401\u001b[39m');
  });

  it.each([
    [
      'a terminal',
      terminalStream,
      / {2}400 {2}GET {6} +12\.3 ms {2}\/v1\/pets {2}bad_request {2}name, categoryId {2}b-1$/,
    ],
    [
      'a file',
      collectingStream,
      /Z {2}GET \/v1\/pets {2}400 {2}12\.3 ms {2}bad_request {2}name, categoryId {2}b-1$/,
    ],
  ])('says in a line what an error response says, at %s', (_output, createOutput, line) => {
    const output = createOutput();

    textReport(output).handled({ ...request, status: 400, error });

    expect(stripVTControlCharacters(output.text()).trimEnd()).toMatch(line);
  });

  it('prints a logged error with its causes, and masks API keys', () => {
    const errors = collectingStream();
    const cause = new TypeError(`No ps_local_${'a'.repeat(49)}`, { cause: new Error('first') });

    textReport(collectingStream(), errors).failed?.('It failed', { code: 'x', status: 500, cause });

    const [title, message, frame, ...others] = errors.text().split('\n');
    expect([title, message]).toEqual(['It failed  code=x status=500', 'TypeError: No ps_***']);
    expect(frame).toMatch(/^ {4}at test\/infra\/textReport\.test\.ts:\d+:\d+$/);
    expect(others).toContain('Caused by: Error: first');
    expect(errors.text()).not.toMatch(/node:|node_modules/);
  });

  it('prints no colours at a terminal if NO_COLOR is set', () => {
    vi.stubEnv('FORCE_COLOR', undefined);
    vi.stubEnv('NO_COLOR', '1');
    const output = terminalStream();
    const report = textReport(output);

    report.started(service);
    report.handled(request);

    expect(output.text()).toContain('/v1/pets');
    expect(output.text()).not.toMatch(colours);
  });

  it.skipIf(!hasTerminal)('stops once on Ctrl+C at a terminal, with --watch', async () => {
    const start = 'infra/local/start.ts --in-memory --port 0 --seed 100 --watch';
    const command = `stty cols 60; exec ${process.execPath} ${start}`;
    const terminal = startProcess('script', ['-qec', command, '/dev/null'], { TERM: 'xterm' });
    await vi.waitUntil(() => terminal.stdout.includes('Ctrl+C'), { timeout: 10_000 });

    // Reaches the service from the terminal and from the watching process.
    terminal.process.stdin.write(ctrlC);

    expect(await terminal.exited).toBe(0);
    expect(terminal.stdout).toMatch(/░.+of 100 pets/);
    expect(terminal.stdout).toMatch(colours);
    expect(terminal.stdout.match(/Stopped\./g)).toHaveLength(1);
  });
});

describe.each([
  ['textReport', textReport],
  ['jsonReport', jsonReport],
])('%s', (_name, createReport) => {
  it('cuts a long path after its API keys are masked', () => {
    const output = collectingStream();
    const path = `/v1/${'9'.repeat(180)}/${service.apiKey}_${'x'.repeat(60)}/${'9'.repeat(5000)}`;

    createReport(output).handled({ ...request, path });

    expect(output.text()).toMatch(/\/9{180}\/ps_\*{3}\/9{8}…/);
  });
});

describe('jsonReport', () => {
  it('prints one JSON object per line, without colours and forged lines', () => {
    vi.stubEnv('FORCE_COLOR', '1');
    const output = collectingStream();
    const report = jsonReport(output);

    for (const writtenPets of [0, 10, 25, 40, 50, 75, 100]) {
      report.seeding({ writtenPets, totalPets: 100, elapsedMs: 1.2 });
    }
    report.seeded({ writtenPets: 100, totalPets: 100, elapsedMs: 1.2 });
    report.started(service);
    report.handled(request);
    report.handled({ ...request, path: '/v1/pets/\n"forged' });
    report.handled({ ...request, status: 400, error });
    report.restarting('lib/schemas.ts');
    report.stopped();

    const events = output.text().trimEnd().split('\n');
    const time = expect.stringMatching(/^[\d-]+T[\d:.]+Z$/);
    const seeding = { time, totalPets: 100, durationMs: 1 };
    expect(events.map((line) => JSON.parse(line))).toEqual([
      ...[0, 25, 50, 75].map((writtenPets) => ({ event: 'seeding', ...seeding, writtenPets })),
      { event: 'seeded', ...seeding, writtenPets: 100 },
      { event: 'started', time, ...service },
      { event: 'request', time, ...request, durationMs: 12.3 },
      { event: 'request', time, ...request, path: '/v1/pets/%0A"forged', durationMs: 12.3 },
      { event: 'request', time, ...request, status: 400, durationMs: 12.3, ...error },
      { event: 'restarting', time, file: 'lib/schemas.ts' },
      { event: 'stopped', time },
    ]);
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
