import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import {
  type LocalService,
  printed,
  request,
  startProcess,
  startService,
  temporaryFolder,
} from '../helpers/npmScript.ts';
import { rex } from '../helpers/samplePets.ts';

const createRex = (service: LocalService) =>
  request(service, '/pets', { method: 'POST', body: JSON.stringify(rex) });

/** The processes share a loaded machine with other tests. */
vi.setConfig({ testTimeout: 60_000 });

describe('npm start', () => {
  it('adds sample pets, then serves them, its page and a log without keys', async () => {
    // Credentials for AWS, which a user often has in the shell.
    const environment = { AWS_PROFILE: 'any', AWS_ACCESS_KEY_ID: 'any' };
    const service = await startService(['--in-memory', '--seed', '1000'], environment);
    const banner = service.stdout;

    const listed = await request(service, '/pets?limit=100');
    await request(service, `/pets/${service.apiKey}`);
    await printed(service, /not_found.+\n/);
    const logged = service.stdout.slice(banner.length).trimEnd().split('\n');
    const docs = await fetch(new URL('/', service.baseAddress));

    const pets = (await listed.json()) as { id: number }[];
    expect(pets.map(({ id }) => id)).toEqual(Array.from({ length: 100 }, (_, n) => n + 1));
    expect(banner).toContain('"message":"Added 1000 of 1000 sample pets."');
    expect(logged.map((line) => JSON.parse(line))).toMatchObject([
      { method: 'GET', path: '/v1/pets', status: 200 },
      { method: 'GET', path: '/v1/pets/ps_***', status: 404, errorCode: 'not_found' },
    ]);
    expect(docs.status).toBe(200);
    expect(await docs.text()).not.toContain(service.apiKey);
  });

  it('prints a curl line that adds a pet to a terminal', async () => {
    // `script` gives the service a terminal.
    const command = `${process.execPath} infra/tools/start.ts --port 0 --in-memory`;
    const running = startProcess('script', ['-qfec', command, '/dev/null']);
    await printed(running, /Ctrl\+C/);

    const curlLine = /Try +(curl .+)\r\n/.exec(running.stdout)?.[1] ?? '';
    const curl = startProcess('sh', ['-c', `${curlLine} -s -w '%{http_code}'`]);
    await curl.exited;

    const [, key] = /Bearer (\w+)/.exec(curlLine) ?? [];
    expect(running.stdout).toMatch(RegExp(`Docs +http://localhost:\\d+/#key=${key}\\r\\n`));
    expect(curl.stdout).toMatch(/^{"id":1,.+}201$/);
    await printed(running, / POST .+ \/v1\/pets/);
  });

  it('keeps the key and every acknowledged pet if it is killed while 20 clients add pets', async () => {
    const folder = await temporaryFolder();
    const first = await startService(['--data', folder]);
    const acknowledged: string[] = [];
    const clients = Array.from({ length: 20 }, async () => {
      for (;;) acknowledged.push(await (await createRex(first)).text());
    });
    await vi.waitUntil(() => acknowledged.length > 50, { timeout: 30_000 });
    first.process.kill('SIGKILL');
    await Promise.allSettled(clients);

    const second = await startService(['--data', folder]);

    expect(second.apiKey).toBe(first.apiKey);
    for (const pet of acknowledged) {
      const { id } = JSON.parse(pet);
      expect(await (await request(second, `/pets/${id}`)).text()).toBe(pet);
    }
    const { id } = (await (await createRex(second)).json()) as { id: number };
    expect(id).toBeGreaterThan(acknowledged.length);
  });

  it('ends without a stack trace if the reader of its output has left', async () => {
    const service = await startService(['--in-memory']);
    service.process.stdout.destroy();

    await request(service, '/pets').catch(() => {});

    expect(await service.exited).toBe(0);
    expect(service.stderr).toBe('');
  });

  it('needs no folder with --in-memory', async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, '.petstore'), 'A file, so it cannot be a folder.');
    const args = [resolve('infra/tools/start.ts'), '--port', '0', '--in-memory'];
    const running = startProcess(process.execPath, args, {}, cwd);

    await printed(running, /"Started"/);

    expect(running.stderr).toBe('');
  });
});

describe('npm start --seed', () => {
  it('shows progress in place, and says on Ctrl+C how many pets it has added', async () => {
    const command = `${process.execPath} infra/tools/start.ts --port 0 --in-memory --seed 1000000`;
    const running = startProcess('script', ['-qfec', command, '/dev/null']);
    await printed(running, /\rAdding sample pets: \d+ of 1000000 …\r/);

    // What a terminal makes of Ctrl+C.
    running.process.stdin.write('\u0003');

    expect(await running.exited).toBe(130);
    expect(running.stdout).toMatch(/\r\d\d:\d\d:\d\d Added [1-9]\d* of 1000000 sample pets\.\r\n$/);
  });

  it('ends with one line if the disk is full, and the next start has every pet', async () => {
    const folder = await temporaryFolder();
    // Files have at most 100 KB, in units of 512 bytes.
    const args = `--port 0 --data ${folder}`;
    const command = `ulimit -f 200; exec ${process.execPath} infra/tools/start.ts ${args}`;
    const full = startProcess('sh', ['-c', command]);
    await printed(full, /"message":"Started".+\n/);
    const service = { ...full, ...JSON.parse(full.stdout) } as LocalService;
    const acknowledged: string[] = [];
    const add = async () => {
      for (;;) acknowledged.push(await (await createRex(service)).text());
    };
    await Promise.allSettled(Array.from({ length: 20 }, add));

    expect(await full.exited).toBe(1);
    expect(full.stderr).toMatch(/^IO error: .+ Free space on the disk, then start again: .+\n$/);
    const next = await startService(['--data', folder]);
    for (const pet of acknowledged.filter((text) => text.startsWith('{"id"'))) {
      const { id } = JSON.parse(pet);
      expect(await (await request(next, `/pets/${id}`)).text()).toBe(pet);
    }
  });
});

describe('npm run dev', () => {
  it('ends after wrong options, instead of waiting for a change', async () => {
    const dev = startProcess('npm', ['run', 'dev', '--', '--seed=3']);

    await dev.exited;

    expect(dev.stderr).toContain('npm run dev restarts, and takes no --seed');
  });

  it('keeps its key over restarts, also with --in-memory', async () => {
    const first = await startService(['--in-memory']);
    const second = await startService(['--in-memory']);

    expect(second.apiKey).toBe(first.apiKey);
  });
});
