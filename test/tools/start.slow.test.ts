import { cp, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTables } from '../../local/createTables.ts';
import { openLocalDatabase } from '../../local/localDatabase.ts';
import { localStage } from '../../local/localStage.ts';
import { keys } from '../../tools/keys.ts';
import {
  type LocalService,
  loopback,
  printed,
  request,
  startProcess,
  startService,
  temporaryFolder,
} from '../helpers/npmScript.ts';
import { runCommandHere } from '../helpers/runCommandHere.ts';
import { rex } from '../helpers/samplePets.ts';

const createRex = (service: LocalService) =>
  request(service, '/pets', { method: 'POST', body: JSON.stringify(rex) });

/** Lets 20 clients add pets until the service ends. Returns the growing list of acknowledged pets. */
function addPets(service: LocalService) {
  const acknowledged: string[] = [];
  const clients = Array.from({ length: 20 }, async () => {
    for (;;) acknowledged.push(await (await createRex(service)).text());
  });
  return { acknowledged, ended: Promise.allSettled(clients) };
}

/** Starts the service in a terminal, which `script` gives it. */
function startInTerminal(cwd: string, ...args: string[]) {
  const command = [
    process.execPath,
    resolve('tools/run.cjs'),
    'tools/start.ts',
    '--port',
    '0',
    ...args,
  ];
  const quoted = command.map((each) => `'${each}'`).join(' ');
  return startProcess('script', ['-qfec', quoted, '/dev/null'], {}, cwd);
}

describe('npm start', () => {
  it('adds sample pets, then serves them, its page and a log without keys, and needs no folder with --in-memory', async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, '.petstore'), 'A file, so it cannot be a folder.');
    // Credentials for AWS, which a user often has in the shell.
    const environment = { AWS_PROFILE: 'any', AWS_ACCESS_KEY_ID: 'any', AWS_REGION: 'no Region' };
    const options = ['--in-memory', '--seed', '120', '--cors-origin', 'null'];
    const service = await startService(options, environment, cwd);
    const banner = service.stdout;

    const listed = await request(service, '/pets?limit=100');
    await request(service, `/pets/${service.apiKey}`);
    await printed(service, /not_found.+\n/);
    const logged = service.stdout.slice(banner.length).trimEnd().split('\n');
    const docs = await fetch(new URL('/', service.baseAddress));
    const allowedOrigins = ['GET', 'OPTIONS'].map(async (method) => {
      const headers = { Origin: 'null' };
      const response = await fetch(`${service.baseAddress}/pets`, { method, headers });
      return response.headers.get('Access-Control-Allow-Origin');
    });

    const pets = (await listed.json()) as { id: number }[];
    expect(pets.map(({ id }) => id)).toEqual(Array.from({ length: 100 }, (_, n) => n + 1));
    expect(banner).toContain('"message":"Added 120 of 120 sample pets."');
    expect(logged.map((line) => JSON.parse(line))).toMatchObject([
      { method: 'GET', path: '/v1/pets', status: 200 },
      { method: 'GET', path: '/v1/pets/ps_***', status: 404, errorCode: 'not_found' },
    ]);
    expect(await Promise.all(allowedOrigins)).toEqual(['null', 'null']);
    expect(docs.status).toBe(200);
    expect(`${[...docs.headers]}${await docs.text()}`).not.toContain(service.apiKey);
    expect(service.stderr).toBe('');
  });

  it('listens on both addresses of localhost only, and takes no setting of the functions from the shell', async () => {
    const service = await startService(['--in-memory'], {
      CORS_ORIGINS: 'http://a.test',
      LOG_LEVEL: 'debug',
      AWS_DEFAULTS_MODE: 'fast',
    });
    const listOn = (host: string) =>
      request({ ...service, baseAddress: service.baseAddress.replace('localhost', host) }, '/pets');

    for (const address of loopback) {
      const { status, headers } = await listOn(address.includes(':') ? `[${address}]` : address);
      expect([status, headers.get('Vary')]).toEqual([200, null]);
    }
    // On Linux, this is an address of the machine too.
    await expect(listOn('127.0.0.2')).rejects.toThrow('fetch failed');
  });

  it('prints a curl line that adds a pet to a terminal, with the key of its folder', async () => {
    const cwd = await temporaryFolder();
    const running = startInTerminal(cwd);
    await printed(running, /Ctrl\+C/);

    const apiKey = await readFile(join(cwd, '.petstore/api-key'), 'utf8');
    const curlLine = /Try +(curl .+)\r\n/.exec(running.stdout)?.[1] ?? '';
    const curl = startProcess('sh', ['-c', `${curlLine} -s -w '%{http_code}'`]);
    await curl.exited;

    expect(running.stdout).toMatch(RegExp(`Docs +http://localhost:\\d+/#key=${apiKey}\\r\\n`));
    expect(curl.stdout).toMatch(/^{"id":1,.+}201$/);
    await printed(running, /'POST'.+'\/v1\/pets'/);
  });

  it('names the tables of its data folder that this version does not know, once', async () => {
    const folder = await temporaryFolder();
    const { stop } = await openLocalDatabase(folder);
    await createTables({ ...localStage.tableNames, pets: 'PetStore-local-Animals' });
    await stop();

    const { stdout } = await startService(['--data', folder]);

    expect(stdout.match(/"The data folder has .+?"/g)).toEqual([
      '"The data folder has tables that this version does not know: PetStore-local-Animals."',
    ]);
  });

  it('keeps every acknowledged pet if the disk is full, and if it is killed, and accepts a key of npm run keys', async () => {
    const folder = await temporaryFolder();
    // Files have at most 30 KB: 60 units of 512 bytes.
    const command = ['-c', 'ulimit -f 60; exec "$0" "$@"', process.execPath];
    const full = startProcess('sh', [
      ...command,
      'tools/run.cjs',
      'tools/start.ts',
      '--port',
      '0',
      '--data',
      folder,
    ]);
    await printed(full, /"message":"Started".+\n/);
    const first = addPets({ ...full, ...JSON.parse(full.stdout) });

    expect(await full.exited).toBe(1);
    expect(full.stderr).toMatch(/^IO error: .+ Free space on the disk, then start again: .+\n$/);

    const killed = await startService(['--data', folder]);
    const second = addPets(killed);
    await expect.poll(() => second.acknowledged.length).toBeGreaterThan(20);
    killed.process.kill('SIGKILL');
    await Promise.all([first.ended, second.ended]);

    const service = await startService(['--data', folder]);
    const options = ['--stage', 'local', '--data', folder, '--name', 'demo'];
    const { stdout } = await runCommandHere(keys, ['create', ...options]);

    const acknowledged = [...first.acknowledged, ...second.acknowledged];
    const pets = acknowledged.filter((text) => text.startsWith('{"id"'));
    expect(pets.length).toBeGreaterThan(40);
    for (const pet of pets) {
      const { id } = JSON.parse(pet);
      expect(await (await request(service, `/pets/${id}`)).text()).toBe(pet);
    }
    const [apiKey = ''] = /ps_local_\w+/.exec(stdout) ?? [];
    const { id } = (await (await createRex({ ...service, apiKey })).json()) as { id: number };
    expect(id).toBeGreaterThan(pets.length);
  });
});

describe('npm run dev', () => {
  it('restarts the service after each of three saves of an editor that replaces the file', async () => {
    const cwd = await temporaryFolder();
    const sources = ['docs', 'functions', 'infra', 'lib', 'local', 'tools'];
    for (const name of [...sources, 'openapi.json']) {
      await cp(name, join(cwd, name), { recursive: true });
    }
    await symlink(resolve('node_modules'), join(cwd, 'node_modules'));
    const { dev } = JSON.parse(await readFile('package.json', 'utf8')).scripts;
    const [, ...command] = dev.split(' && ').at(-1).split(' ');
    const args = [...command, '--in-memory', '--port', '0'];
    const running = startProcess(process.execPath, args, {}, cwd);
    // A watcher that is killed leaves its service behind.
    onTestFinished(async () => {
      running.process.kill('SIGTERM');
      await running.exited;
    });
    const starts = () => running.stdout.split('"Started"').length - 1;
    const file = join(cwd, 'lib/http/links.ts');
    await expect.poll(starts).toBe(1);

    for (const _save of [1, 2, 3]) {
      const before = starts();
      // Node.js may miss a save that follows another one at once, so this one is repeated.
      await expect
        .poll(
          async () => {
            // As Vim, Helix, Sublime Text and JetBrains save.
            await cp(file, `${file}~`);
            await rename(`${file}~`, file);
            return starts();
          },
          { interval: 15_000 },
        )
        .toBeGreaterThan(before);
    }
  });
});
