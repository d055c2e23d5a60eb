import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { ClassicLevel } from 'classic-level';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startEmbeddedDatabase } from '../../local/localDatabase.ts';
import { keys } from '../../tools/keys.ts';
import { start } from '../../tools/start.ts';
import { listen } from '../helpers/listen.ts';
import { loopback, runScript, startService, temporaryFolder } from '../helpers/npmScript.ts';
import { runCommandHere } from '../helpers/runCommandHere.ts';

const startOn = (folder: string) => runCommandHere(start, ['--port', '0', '--data', folder]);
const listKeys = (folder: string) =>
  runCommandHere(keys, ['list', '--stage', 'local', '--data', folder]);

/** Creates a data folder whose database has a table and a journal. */
async function createData(): Promise<{ folder: string; path: string }> {
  const folder = await temporaryFolder();
  const path = join(folder, 'dynamodb');
  await mkdir(path);
  const database = new ClassicLevel(path);
  // LevelDB moves its journal to a table when it opens.
  for (const run of ['table', 'journal']) {
    await database.open();
    // The engine reads keys between these two.
    await database.put('a', run);
    await database.put('z', run);
    await database.close();
  }
  return { folder, path };
}

async function findFile(path: string, end: string): Promise<string> {
  return join(path, (await readdir(path)).find((name) => name.endsWith(end)) ?? '');
}

const remove = async (path: string, end: string) => rm(await findFile(path, end));

async function damage(path: string, end: string): Promise<void> {
  const file = await findFile(path, end);
  await writeFile(file, 'damage '.repeat((await stat(file)).size));
}

describe('npm start', () => {
  it.each(loopback)('refuses a port that another program has on %s', async (host) => {
    const server = createServer().listen(0, host);
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;

    // As a process, because the database has started already and must not keep it alive.
    const { exitCode, stdout, stderr } = await runScript('start', [
      '--in-memory',
      '--port',
      `${port}`,
    ]);

    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      `Port ${port} of ${host} is taken or not allowed. Stop the program that uses it, or choose another with --port.\n`,
    );
  });

  it('listens on the port of the variable PORT, unless --port names another', async () => {
    const PORT = new URL(await listen(() => {})).port;

    const { stderr } = await runScript('start', ['--in-memory'], { PORT });
    await startService(['--in-memory'], { PORT });

    expect(stderr).toContain(`Port ${PORT} of 127.0.0.1 is taken or not allowed.`);
  });

  it('refuses a data folder that is in use', async () => {
    const { folder, path } = await createData();
    const database = new ClassicLevel(path);
    await database.open();

    const refused = await startOn(folder);

    await database.close();
    const stderr = `The data in ${path} are in use by another process. Choose another folder with --data, and another --port.\n`;
    expect(refused).toEqual({ exitCode: 1, stdout: '', stderr });
  });

  it('opens a data folder once, however close together two commands open it', async () => {
    const { folder } = await createData();
    for (let pause = 0; pause < 20; pause += 1) {
      const first = startEmbeddedDatabase(folder);
      await setTimeout(pause / 2);
      const results = await Promise.allSettled([first, startEmbeddedDatabase(folder)]);

      const refusals: string[] = [];
      for (const result of results) {
        if (result.status === 'fulfilled') await result.value.stop();
        else refusals.push(result.reason.message);
      }
      expect(refusals).toEqual([expect.stringContaining(' are in use by another process')]);
    }
  });

  it.each<[what: string, change: (path: string, folder: string) => Promise<unknown>, RegExp]>([
    [
      'that is a file',
      async (_path, folder) => {
        await rm(folder, { recursive: true });
        await writeFile(folder, '');
      },
      /cannot be used: EEXIST: .+ Correct this, or choose another folder with --data\./,
    ],
    ['that other users may write to', (_path, folder) => chmod(folder, 0o770), /which chmod go-w /],
    ['whose database other users may write to', (path) => chmod(path, 0o770), /which chmod go-w /],
    [
      'that lacks CURRENT',
      (path) => remove(path, 'CURRENT'),
      /the file CURRENT is missing\. Restore a whole copy of the data folder, or delete the folder\./,
    ],
    [
      'that lacks a table',
      (path) => remove(path, '.ldb'),
      /: Corruption: 1 missing files; .+ Restore a whole copy /,
    ],
  ])('refuses a data folder %s', async (_what, change, problem) => {
    const { folder, path } = await createData();
    await change(path, folder);

    const { exitCode, stdout, stderr } = await startOn(folder);

    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(problem);
    expect(stderr).toMatch(/^The data in .+\n$/);
  });

  it.runIf(process.getuid?.() === 0)('refuses a data folder of another user', async () => {
    const folder = await temporaryFolder();
    await chown(folder, 12345, 12345);

    expect((await startOn(folder)).stderr).toContain(`another user owns ${folder}`);
  });

  it('says what to do when it reads a damaged table', async () => {
    const { folder, path } = await createData();
    await damage(path, '.ldb');

    // As a process, because the engine ends its process.
    const { exitCode, stderr } = await runScript('start', ['--port', '0', '--data', folder]);

    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^Corruption: .+\. Restore a whole copy of the data folder, or delete /);
  });

  it('deletes nothing of data without CURRENT', async () => {
    const { folder, path } = await createData();
    await remove(path, 'CURRENT');
    const before = await readdir(path);

    await startOn(folder);

    expect(await readdir(path)).toEqual(before);
  });
});

describe('npm run keys', () => {
  it('creates no database in a folder that has none', async () => {
    const folder = join(await temporaryFolder(), 'typo');

    const { exitCode, stderr } = await listKeys(folder);

    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      `There is no data in ${folder}. Name the folder of the service with --data, or run npm start first.\n`,
    );
    expect(existsSync(folder)).toBe(false);
  });

  it('says why a folder cannot be used, instead of that it has no data', async () => {
    const folder = join(await temporaryFolder(), 'file');
    await writeFile(folder, '');

    const { exitCode, stderr } = await listKeys(folder);

    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      / cannot be used: EEXIST: .+ Correct this, or choose another folder with --data\.\n$/,
    );
  });

  it('asks to run the command again while another npm run keys has the folder open', async () => {
    const { folder } = await createData();
    const { stop } = await startEmbeddedDatabase(folder);

    const { exitCode, stderr } = await listKeys(folder);

    await stop();
    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      `Another command has just opened the data in ${folder}. Run this again, or restart npm start.\n`,
    );
  });

  it('sends nothing to a program that has the port of a killed npm start', async () => {
    const { folder } = await createData();
    let requests = 0;
    const endpoint = await listen((_request, response) => {
      requests += 1;
      response.end('{}');
    });
    await writeFile(join(folder, 'engine.json'), JSON.stringify({ endpoint, accessKeyId: 'any' }));

    const { exitCode, stderr } = await listKeys(folder);

    expect([exitCode, stderr, requests]).toEqual([0, '', 0]);
  });
});
