import { execFile, spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { apiKey } from '../helpers/api.ts';
import { emptyTables } from '../helpers/database.ts';
import { startGateway } from '../helpers/gateway.ts';
import { reportSkipped } from '../helpers/reportSkipped.ts';

const run = promisify(execFile);

const { baseAddress } = await startGateway();

/** The shell commands of the guide that send requests, by their chapter. */
const requests = globSync('docs/guide/*.md').flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(/^```sh\n(.*?)^```/gms)]
    .map(([, code = '']): [chapter: string, code: string] => [basename(file), code])
    .filter(([, code]) => code.includes('curl ')),
);

/** Runs commands as a user does. Returns their output. */
async function runBash(code: string): Promise<string> {
  const env = { PATH: process.env.PATH, BASE_ADDRESS: baseAddress, API_KEY: apiKey };
  return (await run('bash', ['-euc', code], { env })).stdout;
}

// Windows may lack these programs.
const missing = ['bash', 'curl'].filter((name) => spawnSync(name, ['--version']).error);
if (missing.length > 0) {
  reportSkipped(`The commands of the documents need ${missing.join(' and ')}.`);
}

// The commands run in the order of the page, on an empty database.
describe('the page', { shuffle: false }, () => {
  describe.each([
    // After the request that `npm start` prints.
    ['README.md', readFileSync('README.md', 'utf8'), { name: 'Rex', categoryId: 7 }],
    ['docs/guide/quickstart.md', readFileSync('docs/guide/quickstart.md', 'utf8'), undefined],
  ])('%s', (_, page, firstPet) => {
    beforeAll(async () => {
      await emptyTables();
      if (!firstPet) return;
      const { status } = await fetch(`${baseAddress}/pets`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(firstPet),
      });
      expect(status).toBe(201);
    });

    // Each command with curl, and the response below it if there is one.
    const samples = [
      ...page.matchAll(/^```sh\n([^`]*?curl [^`]*)^```\n(?:\n+```(?:http|json)\n([^`]*)^```)?/gm),
    ].map(([, command = '', response = '']) => ({ command, response }));

    it.skipIf(missing.length > 0).each(samples)(
      'has a command that responds as it says: $command',
      async ({ command, response }) => {
        const shown = 'http://localhost:3000/v1';
        const code = command.replaceAll(shown, baseAddress).replace(/^export API_KEY=.*/m, '');

        const output = await runBash(code);

        // A cursor belongs to its deployment.
        const mask = (text: string) => text.replaceAll(/cursor=[\w-]+/g, 'cursor=…');
        const received = mask(output.replaceAll(baseAddress, shown)).split(/\r?\n/);
        const lines = mask(response).split('\n').filter(Boolean);
        expect(received).toEqual(expect.arrayContaining(lines));
        if (!response) expect(received[0]).toMatch(/^HTTP\/1\.1 20[01] /);
      },
    );

    it('has a sample with its response', () => {
      expect(samples.filter(({ response }) => response).length).toBeGreaterThan(0);
    });
  });
});

describe('CONTRIBUTING.md', () => {
  it('has TypeScript that invokes a handler, and prints what it says', async () => {
    const [, code = ''] = /^```ts\n(.*?)^```/ms.exec(readFileSync('CONTRIBUTING.md', 'utf8')) ?? [];
    const [, comment = ''] = /\); \/\/ (\d.+)/.exec(code) ?? [];

    const { stdout } = await run(process.execPath, ['--input-type=module-typescript', '-e', code]);

    expect(comment).not.toBe('');
    expect(stdout.trim()).toBe(comment);
  });
});

describe('the guide', () => {
  it.skipIf(missing.length > 0).each(requests)(
    'has shell commands that the service accepts: %s',
    async (_chapter, code) => {
      const output = await runBash(code);

      const statuses = [...output.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => status);
      expect(statuses.length).toBeGreaterThan(0);
      // A status line must not follow the body of the previous response on the same line.
      expect(output).not.toMatch(/.HTTP\/1\.1 \d/);
      expect(statuses.filter((status) => !['200', '201'].includes(status ?? ''))).toEqual([]);
      // Attempts with the same Idempotency-Key return one pet.
      expect(new Set(output.match(/(?<=^location: ).*/gm)).size).toBeLessThanOrEqual(1);
    },
  );
});

describe('the loop of docs/guide/retries.md', () => {
  const [, loop = ''] =
    /^```js\n(.*?)^```/ms.exec(readFileSync('docs/guide/retries.md', 'utf8')) ?? [];

  const request = { method: 'POST', headers: { 'Idempotency-Key': 'a' } };

  /** Sends the request by the loop, with a wait of the half of each random time. */
  async function runLoop(fetch: typeof globalThis.fetch) {
    const waitsMs: number[] = [];
    const globals = {
      fetch,
      AbortSignal,
      Math: { min: Math.min, random: () => 0.5 },
      setTimeout(resume: () => void, ms: number) {
        waitsMs.push(ms);
        resume();
      },
    };
    const sendWithRetries = runInNewContext(`${loop}; sendWithRetries`, globals);
    return { response: await sendWithRetries('http://a.test/', request), waitsMs };
  }

  it('waits as the page says, and sends the same request after a 503 and after a lost connection', async () => {
    const fetch = vi
      .fn<typeof globalThis.fetch>()
      .mockResolvedValueOnce(new Response('', { status: 503, headers: { 'Retry-After': '1' } }))
      .mockRejectedValueOnce(new TypeError('fetch failed'))
      .mockResolvedValueOnce(new Response('{"id":1}', { status: 201 }));

    const { response, waitsMs } = await runLoop(fetch);

    expect(response).toMatchObject({ status: 201, body: '{"id":1}' });
    expect(waitsMs).toEqual([1100, 200]);
    for (const sent of fetch.mock.calls) {
      expect(sent).toEqual(['http://a.test/', expect.objectContaining(request)]);
    }
  });

  it('stops after three attempts, and returns the last response', async () => {
    const fetch = vi.fn(async () => new Response('', { status: 503 }));

    const { response } = await runLoop(fetch);

    expect(response.status).toBe(503);
    expect(fetch).toHaveBeenCalledTimes(3);
  });

  it('does not retry an error that stays', async () => {
    const fetch = vi.fn(async () => new Response('', { status: 400 }));

    const { response } = await runLoop(fetch);

    expect(response.status).toBe(400);
    expect(fetch).toHaveBeenCalledOnce();
  });
});
