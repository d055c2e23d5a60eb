import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import { get, request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { DynamoDBClient, GetItemCommand, paginateScan } from '@aws-sdk/client-dynamodb';
import { describe, expect, inject, it, onTestFailed, vi } from 'vitest';
import { startEmbeddedDatabase } from '../../infra/local/localDatabase.ts';
import { localStage } from '../../infra/local/localStage.ts';
import {
  type LocalService,
  logLines,
  request,
  startScript,
  startService,
  temporaryFolder,
} from '../helpers/npmScript.ts';

const { pets: TableName } = localStage.tableNames;
const rex = '{"name":"Rex","categoryId":1}';
const createRex = (service: LocalService) =>
  request(service, '/pets', { method: 'POST', body: rex });

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

describe('npm start', () => {
  it('adds sample pets, then prints a working curl line and one line per request', async () => {
    const service = await startService(['--in-memory', '--seed', '1000']);
    const banner = service.stdout;
    const curlLine = /curl -H '(?<name>[^:]+): (?<value>[^']+)' (?<address>\S+)\n/;
    const { name = '', value = '', address = '' } = curlLine.exec(banner)?.groups ?? {};

    const listed = await fetch(`${address}?limit=100`, { headers: { [name]: value } });
    await request(service, '/pets/%0Aforged%20line');
    await request(service, `/pets/${service.apiKey}?key=${service.apiKey}`);

    expect(address).toBe(`${service.baseAddress}/pets`);
    const pets = (await listed.json()) as { id: number }[];
    expect(pets.map(({ id }) => id)).toEqual(Array.from({ length: 100 }, (_, n) => n + 1));
    const rate = '[\\d,]+ pets/s';
    expect(banner).toMatch(
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
    const docs = await fetch(new URL('/', service.baseAddress));
    expect(await docs.text()).toContain(service.apiKey);
    const [list = '', get = '', withKey = ''] = await logLines(service, banner, 3);
    expect(list).toMatch(/^[\d-]+T[\d:.]+Z {2}GET \/v1\/pets {2}200 {2}\d+\.\d ms$/);
    expect(get).toContain('GET /v1/pets/%0Aforged%20line  404');
    expect(withKey).toMatch(
      /GET \/v1\/pets\/ps_\*{3} {2}404 {2}\d+\.\d ms {2}not_found {2}[\w-]{36}$/,
    );
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a colour begins with it
    expect(service.stdout).not.toMatch(/\u001b/);
  });

  it('lets web pages of each --cors-origin call it', async () => {
    const origins = ['http://a.test', 'http://b.test:8080'];
    const options = origins.flatMap((origin) => ['--cors-origin', origin]);
    const { baseAddress } = await startService(['--in-memory', ...options]);

    for (const Origin of origins) {
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
    await vi.waitUntil(() => seeding.stdout.includes('Adding'), { timeout: 10_000 });

    seeding.process.kill('SIGINT');

    expect(await seeding.exited).toBe(0);
    expect(seeding.stdout).toMatch(
      /\nStopped after [\d,]+ of 1,000,000 sample pets in .+\n\nStopped\.\n$/,
    );
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
    const service = await startService(['--data', folder, '--seed', '1000']);
    const headers = { Authorization: `Bearer ${service.apiKey}` };
    const lists = Array.from({ length: 15 }, () =>
      get(`${service.baseAddress}/pets?limit=100`, { headers }).on('error', () => {}),
    );
    // The service sleeps until these clients have disconnected.
    service.process.kill('SIGSTOP');
    const creates = Array.from({ length: 30 }, () => {
      const create = httpRequest(`${service.baseAddress}/pets`, { method: 'POST', headers });
      create.on('error', () => {}).on('finish', () => create.destroy());
      create.end(rex);
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
    expect(service.stdout).toMatch(/POST \/v1\/pets {2}499.+\nStopped\.\n$/s);
    const statuses = (await settled).map((outcome) =>
      outcome.status === 'fulfilled' ? outcome.value.status : 'refused',
    );
    expect(new Set(statuses).difference(new Set([201, 'refused']))).toEqual(new Set());
    const handledCreates = service.stdout.match(/POST \/v1\/pets/g)?.length ?? 0;
    expect(await countStoredPets(folder)).toBe(1000 + handledCreates);
  });

  it('stops if npm gets SIGTERM, with --watch', async () => {
    const args = ['start', '--', '--port', '0', '--in-memory', '--watch'];
    const npm = spawn('npm', args, { detached: true });
    // npm leads a group of four processes. None of them is left after a failure.
    onTestFailed(() => void process.kill(-(npm.pid as number), 'SIGKILL'));
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

  it('stops cleanly if its output is closed, with --watch', async () => {
    const folder = await temporaryFolder();
    const service = await startService(['--data', folder, '--watch']);
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
