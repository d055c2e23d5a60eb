import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import { get, request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { describe, expect, inject, it, vi } from 'vitest';
import {
  type LocalService,
  logLines,
  request,
  startScript,
  startService,
  temporaryFolder,
} from '../helpers/npmScript.ts';

const rex = '{"name":"Rex","categoryId":1}';
const createRex = (service: LocalService) =>
  request(service, '/pets', { method: 'POST', body: rex });

async function stop({ process, exited }: LocalService, signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL') {
  process.kill(signal);
  return exited;
}

describe('npm start', () => {
  it('prints a working address, key and curl line', async () => {
    const service = await startService(['--in-memory']);
    const curlLine = /curl -H '(?<name>[^:]+): (?<value>[^']+)' (?<address>\S+)\n/;
    const { name = '', value = '', address = '' } = curlLine.exec(service.stdout)?.groups ?? {};

    const response = await fetch(address, { headers: { [name]: value } });

    expect(response.status).toBe(200);
    expect(await response.text()).toBe('[]');
    expect(address).toBe(`${service.baseAddress}/pets`);
  });

  it('prints one line per request, without key and query', async () => {
    const service = await startService(['--in-memory']);
    const banner = service.stdout;

    await request(service, '/pets?limit=1');
    await request(service, '/pets/%0Aforged%20line');
    await request(service, `/pets/${service.apiKey}?key=${service.apiKey}`);

    const [list = '', get = '', withKey = ''] = await logLines(service, banner, 3);
    expect(list).toMatch(/^[\d-]+T[\d:.]+Z {2}GET \/v1\/pets {2}200 {2}\d+\.\d ms$/);
    expect(get).toContain('GET /v1/pets/%0Aforged%20line  404');
    expect(withKey).toMatch(/GET \/v1\/pets\/ps_\*{3} {2}404 {2}\d+\.\d ms$/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a colour begins with it
    expect(service.stdout).not.toMatch(/\u001b/);
  });

  it('adds sample pets with --seed and prints the progress in a few lines', async () => {
    const service = await startService(['--in-memory', '--seed', '1000']);

    const pets = (await (await request(service, '/pets?limit=100')).json()) as { id: number }[];

    expect(pets.map(({ id }) => id)).toEqual(Array.from({ length: 100 }, (_, n) => n + 1));
    expect(await (await createRex(service)).json()).toMatchObject({ id: 1001 });
    const rate = '[\\d,]+ pets/s';
    expect(service.stdout).toMatch(
      new RegExp(
        [
          '^Adding 1,000 sample pets …',
          `Added   250 of 1,000 pets  25 %  ${rate}`,
          `Added   500 of 1,000 pets  50 %  ${rate}`,
          `Added   750 of 1,000 pets  75 %  ${rate}`,
          `Added 1,000 sample pets in \\d+\\.\\d s, ${rate}.`,
          '',
          'Pet store   http',
        ].join('\n'),
      ),
    );
  });

  it('stops during a seeding on SIGINT, and later ids continue above the reserved ones', async () => {
    const folder = await temporaryFolder();
    const args = ['--port', '0', '--data', folder, '--seed', '1000000'];
    const seeding = startScript('start', args);
    await vi.waitUntil(() => seeding.stdout.includes('Adding'), { timeout: 10_000 });

    seeding.process.kill('SIGINT');

    expect(await seeding.exited).toBe(0);
    expect(seeding.stdout).toMatch(
      /\nStopped after [\d,]+ of 1,000,000 sample pets in .+\n\nStopped\.\n$/,
    );
    const service = await startService(['--data', folder]);
    expect(await (await createRex(service)).json()).toMatchObject({ id: 1_000_001 });
    expect((await request(service, '/pets')).status).toBe(200);
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'keeps pets and key after a restart by %s',
    async (signal) => {
      const folder = await temporaryFolder();
      const first = await startService(['--data', folder]);
      const created = await (await createRex(first)).text();
      await stop(first, signal);

      const second = await startService(['--data', folder]);

      expect(second.apiKey).toBe(first.apiKey);
      expect(await (await request(second, '/pets/1')).text()).toBe(created);
      expect((await (await createRex(second)).json()) as unknown).toMatchObject({ id: 2 });
      expect((await stat(join(folder, 'api-key'))).mode & 0o777).toBe(0o600);
    },
  );

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'finishes the requests under way and exits 0 on %s',
    async (signal) => {
      const service = await startService(['--in-memory']);
      await request(service, '/pets');
      const underWay = Array.from({ length: 20 }, () => createRex(service));
      await Promise.race(underWay);

      const exitCode = await stop(service, signal);

      expect(exitCode).toBe(0);
      expect(service.stdout).toMatch(/Stopped\.\n$/);
      expect(service.stderr).toBe('');
      const statuses = (await Promise.allSettled(underWay)).map((outcome) =>
        outcome.status === 'fulfilled' ? outcome.value.status : 'refused',
      );
      expect(new Set(statuses).difference(new Set([201, 'refused']))).toEqual(new Set());
    },
  );

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'finishes the requests of disconnected clients and exits 0 on %s',
    async (signal) => {
      const service = await startService(['--in-memory', '--seed', '1000']);
      const headers = { Authorization: `Bearer ${service.apiKey}` };
      const lists = Array.from({ length: 30 }, () =>
        get(`${service.baseAddress}/pets?limit=100`, { headers }),
      );
      await Promise.race(lists.map((list) => once(list, 'response')));

      for (const list of lists) list.destroy();
      const exitCode = await stop(service, signal);

      expect(service.stderr).toBe('');
      expect(exitCode).toBe(0);
      expect(service.stdout).toMatch(/GET \/v1\/pets {2}499.+\nStopped\.\n$/s);
    },
  );

  it('stores the pets of disconnected clients before it stops', async () => {
    const folder = await temporaryFolder();
    const service = await startService(['--data', folder]);
    const headers = { Authorization: `Bearer ${service.apiKey}` };
    const creates = Array.from({ length: 30 }, () =>
      httpRequest(`${service.baseAddress}/pets`, { method: 'POST', headers }).end(rex),
    );
    await Promise.race(creates.map((create) => once(create, 'response')));

    for (const create of creates) create.destroy();
    await stop(service, 'SIGTERM');

    const handled = service.stdout.match(/POST \/v1\/pets/g);
    const pets = await request(await startService(['--data', folder]), '/pets?limit=100');
    expect(await pets.json()).toHaveLength(handled?.length ?? 0);
    expect(service.stdout).toContain('POST /v1/pets  499');
  });

  it.each([[[]], [['--watch']]])('stops if npm gets SIGTERM, with %j', async (args) => {
    const npm = spawn('npm', ['start', '--', '--port', '0', '--in-memory', ...args]);
    let output = '';
    npm.stdout.on('data', (chunk) => {
      output += chunk;
    });
    const ended = once(npm.stdout, 'close');
    await vi.waitUntil(() => output.includes('Ctrl+C'), { timeout: 10_000 });

    npm.kill('SIGTERM');
    await ended;

    expect(output).toMatch(/Stopped\.\n$/);
  });

  it.each([[[]], [['--watch']], [['--json']]])(
    'stops cleanly if its output is closed, with %j',
    async (args) => {
      const folder = await temporaryFolder();
      const service = await startService(['--data', folder, ...args]);
      service.process.stdout.destroy();

      expect((await request(service, '/pets')).status).toBe(200);

      expect(await service.exited).toBe(0);
      expect(service.stderr).toBe('');
      // The endpoint file of a running database is gone.
      expect((await readdir(folder)).sort()).toEqual(['api-key', 'dynamodb']);
    },
  );

  it('uses the engine of AWS_ENDPOINT_URL_DYNAMODB', async () => {
    const folder = await temporaryFolder();
    const environment = { AWS_ENDPOINT_URL_DYNAMODB: inject('dynamoDbEndpoint') };
    const first = await startService(['--data', folder], environment);
    const { id } = (await (await createRex(first)).json()) as { id: number };
    await stop(first, 'SIGTERM');

    const second = await startService(['--in-memory'], environment);

    expect(second.stdout).toContain(`at ${environment.AWS_ENDPOINT_URL_DYNAMODB}`);
    expect((await request(second, `/pets/${id}`)).status).toBe(200);
  });
});
