import { once } from 'node:events';
import { appendFile, cp, readdir, stat, symlink } from 'node:fs/promises';
import { get, request as httpRequest } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { DynamoDBClient, GetItemCommand, paginateScan } from '@aws-sdk/client-dynamodb';
import { describe, expect, inject, it, onTestFailed, vi } from 'vitest';
import { startEmbeddedDatabase } from '../../infra/local/localDatabase.ts';
import { localStage } from '../../infra/local/localStage.ts';
import {
  type LocalService,
  printed,
  request,
  startProcess,
  startScript,
  startService,
  temporaryFolder,
} from '../helpers/npmScript.ts';
import { rex } from '../helpers/samplePets.ts';

const { pets: TableName } = localStage.tableNames;
const createRex = (service: LocalService) =>
  request(service, '/pets', { method: 'POST', body: JSON.stringify(rex) });

async function stop({ process, exited }: LocalService, signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL') {
  process.kill(signal);
  return exited;
}

async function countStoredPets(folder: string): Promise<number> {
  const { endpoint, stop: stopDatabase } = await startEmbeddedDatabase(folder);
  const client = new DynamoDBClient({ endpoint });
  let pets = 0;
  for await (const { Items = [] } of paginateScan({ client }, { TableName })) {
    pets += Items.filter(({ pk }) => pk?.S?.startsWith('PET#')).length;
  }
  await stopDatabase();
  return pets;
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return String(port);
}

/** The processes share a loaded machine with other tests. */
vi.setConfig({ testTimeout: 60_000 });

describe('npm start', () => {
  it('adds sample pets, then serves them, its page and a log without keys', async () => {
    const service = await startService(['--in-memory', '--seed', '1000']);
    const banner = service.stdout;

    const listed = await request(service, '/pets?limit=100');
    await request(service, `/pets/${service.apiKey}`);
    await printed(service, /not_found.+\n/);
    const logged = service.stdout.slice(banner.length).trimEnd().split('\n');
    const docs = await fetch(new URL('/', service.baseAddress));

    const pets = (await listed.json()) as { id: number }[];
    expect(pets.map(({ id }) => id)).toEqual(Array.from({ length: 100 }, (_, n) => n + 1));
    expect(banner).toContain('"msg":"Added 1000 sample pets."');
    expect(logged.map((line) => JSON.parse(line))).toMatchObject([
      { method: 'GET', path: '/v1/pets', status: 200 },
      { method: 'GET', path: '/v1/pets/ps_***', status: 404, errorCode: 'not_found' },
    ]);
    expect(await docs.text()).toContain(service.apiKey);
  });

  it('prints a working curl line to a terminal', async () => {
    // `script` gives the service a terminal.
    const command = `${process.execPath} infra/tools/start.ts --port 0 --in-memory`;
    const running = startProcess('script', ['-qfec', command, '/dev/null']);
    await printed(running, /Ctrl\+C/);

    const curlLine = /curl -H '(?<name>[^:]+): (?<value>[^']+)' (?<address>\S+)\r\n/;
    const { name = '', value = '', address = '' } = curlLine.exec(running.stdout)?.groups ?? {};
    const listed = await fetch(address, { headers: { [name]: value } });

    expect(listed.status).toBe(200);
    await printed(running, / GET .+ \/v1\/pets/);
  });

  it('lets web pages of each --cors-origin call it', async () => {
    const options = ['--cors-origin', 'http://a.test', '--cors-origin', 'http://b.test:8080/'];
    const { baseAddress } = await startService(['--in-memory', ...options]);

    for (const Origin of ['http://a.test', 'http://b.test:8080']) {
      const preflight = httpRequest(`${baseAddress}/pets`, {
        method: 'OPTIONS',
        headers: { Origin },
      });
      const [response] = await once(preflight.end(), 'response');
      const { statusCode, headers } = response.resume();
      expect([statusCode, headers['access-control-allow-origin']]).toEqual([204, Origin]);
    }
  });

  it('stops during a seeding on SIGINT', async () => {
    const args = ['--port', '0', '--in-memory', '--seed', '1000000'];
    const seeding = startScript('start', args);
    await printed(seeding, /Adding/);

    seeding.process.kill('SIGINT');

    expect(await seeding.exited).toBe(0);
    expect(seeding.stdout).toMatch(/Added \d+ sample pets\."}\n.*"Stopped\."}\n$/);
  });

  it('keeps pets and key after a restart by SIGKILL', async () => {
    const folder = await temporaryFolder();
    const first = await startService(['--data', folder]);
    const created = await (await createRex(first)).text();
    await stop(first, 'SIGKILL');

    const second = await startService(['--data', folder]);

    expect(second.apiKey).toBe(first.apiKey);
    expect(await (await request(second, '/pets/1')).text()).toBe(created);
    expect(await (await createRex(second)).json()).toMatchObject({ id: 2 });
    expect((await stat(join(folder, 'api-key'))).mode & 0o777).toBe(0o600);
  });

  it('finishes the requests under way on SIGTERM, also those of disconnected clients', async () => {
    const folder = await temporaryFolder();
    const service = await startService(['--data', folder, '--seed', '100']);
    const headers = { Authorization: `Bearer ${service.apiKey}` };
    const lists = Array.from({ length: 15 }, () =>
      get(`${service.baseAddress}/pets?limit=100`, { headers }).on('error', () => {}),
    );
    // The service sleeps until these clients have disconnected.
    service.process.kill('SIGSTOP');
    const creates = Array.from({ length: 30 }, () => {
      const create = httpRequest(`${service.baseAddress}/pets`, { method: 'POST', headers });
      create.on('error', () => {}).on('finish', () => create.destroy());
      create.end(JSON.stringify(rex));
      return new Promise((resolve) => create.on('close', resolve));
    });
    await Promise.all(creates);
    service.process.kill('SIGCONT');
    const laterCreates = Array.from({ length: 20 }, () => createRex(service));
    // Handles rejections at once: the stop refuses some of these connections.
    const settled = Promise.allSettled(laterCreates);
    await Promise.race(laterCreates);

    for (const list of lists) list.destroy();
    const exitCode = await stop(service, 'SIGTERM');

    expect(exitCode).toBe(0);
    expect(service.stderr).toBe('');
    expect(service.stdout).toMatch(/"msg":"Stopped\."}\n$/);
    const statuses = (await settled).map((outcome) =>
      outcome.status === 'fulfilled' ? outcome.value.status : 'refused',
    );
    expect(new Set(statuses).difference(new Set([201, 'refused']))).toEqual(new Set());
    const handledCreates = service.stdout.match(/"method":"POST".+"status":201/g)?.length ?? 0;
    expect(handledCreates).toBeGreaterThan(0);
    expect(await countStoredPets(folder)).toBe(100 + handledCreates);
  });

  it.each(['start', 'dev'])('stops if npm gets SIGTERM: npm run %s', async (script) => {
    const npm = startProcess('npm', ['run', script, '--', '--port', '0', '--in-memory']);
    // A failure leaves no service behind.
    onTestFailed(() => void npm.process.stdout.destroy());
    await printed(npm, /"started"/);

    npm.process.kill('SIGTERM');
    // Waits for all processes, which share the pipe.
    await npm.exited;

    expect(npm.stdout).toMatch(/"Stopped\."}\n$/);
  });

  it('stops cleanly if its output is closed', async () => {
    const folder = await temporaryFolder();
    const service = await startService(['--data', folder]);
    service.process.stdout.destroy();

    expect((await request(service, '/pets')).status).toBe(200);

    expect(await service.exited).toBe(0);
    expect(service.stderr).toBe('');
    // The endpoint file of a running database is gone.
    expect((await readdir(folder)).sort()).toEqual(['api-key', 'dynamodb']);
  });

  it('uses the engine of AWS_ENDPOINT_URL_DYNAMODB', async () => {
    const endpoint = inject('dynamoDbEndpoint');
    const environment = { AWS_ENDPOINT_URL_DYNAMODB: endpoint };
    const service = await startService(['--in-memory'], environment);

    const { id } = (await (await createRex(service)).json()) as { id: number };

    expect(service.stdout).toContain(`at ${endpoint}`);
    const Key = { pk: { S: `PET#${id}` } };
    const { Item } = await new DynamoDBClient({ endpoint }).send(
      new GetItemCommand({ TableName, Key }),
    );
    expect(Item).toMatchObject({ name: { S: 'Rex' } });
  });
});

describe('npm run dev', () => {
  it('restarts after a change with the same port and key, also in memory', async () => {
    const project = await temporaryFolder();
    const copied = ['functions', 'infra', 'lib', 'package.json'];
    await Promise.all(copied.map((name) => cp(name, join(project, name), { recursive: true })));
    await symlink(resolve('node_modules'), join(project, 'node_modules'));
    const port = await freePort();
    // npm sets the variable. So the service ends with the process that watches it.
    const environment = { npm_lifecycle_event: 'dev' };
    const args = ['--watch', 'infra/tools/start.ts', '--in-memory', '--port', port];
    const dev = startProcess(process.execPath, args, environment, project);
    const starts = () => dev.stdout.split('\n').filter((line) => line.includes('"started"'));
    await printed(dev, /"started".+\n/);

    await appendFile(join(project, 'lib/schemas.ts'), '\n');
    await printed(dev, /"started"[\s\S]+"started".+\n/);

    const [before = '', after] = starts();
    expect(after).toBe(before);
    const service = { ...dev, ...JSON.parse(before) } as LocalService;
    expect((await request(service, '/pets')).status).toBe(200);
    expect(dev.stderr).toBe('');
  });
});
