import { once } from 'node:events';
import { chmod, chown, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { describe, expect, it, onTestFinished } from 'vitest';
import { start } from '../../tools/start.ts';
import { loopback, runScript, temporaryFolder } from '../helpers/npmScript.ts';
import { runCommandHere } from '../helpers/runCommandHere.ts';

const startOn = (folder: string) => runCommandHere(start, ['--port', '0', '--data', folder]);

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

describe('npm start', () => {
  it.each(loopback)('refuses a port that another program has on %s', async (host) => {
    const server = createServer().listen(0, host);
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const PORT = String((server.address() as AddressInfo).port);

    // As a process, because the database has started already and must not keep it alive.
    const { exitCode, stdout, stderr } = await runScript('start', ['--in-memory'], { PORT });

    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      `Port ${PORT} of ${host} is taken or not allowed. Stop the program that uses it, or choose another with --port.\n`,
    );
  });

  it.each<[what: string, change: (folder: string, path: string) => Promise<unknown>, RegExp]>([
    [
      'that is in use',
      async (_folder, path) => {
        const database = new ClassicLevel(path);
        await database.open();
        onTestFinished(() => database.close());
      },
      /in use by another process\. Choose another folder with --data, and another --port\./,
    ],
    [
      'that other users may write to',
      (folder) => chmod(folder, 0o770),
      /petstore-\w+, which chmod go-w changes\. Correct this, or choose another folder with --data\./,
    ],
    [
      'whose database other users may write to',
      (_, path) => chmod(path, 0o770),
      /dynamodb, which chmod go-w /,
    ],
    [
      'that lacks a table',
      async (_folder, path) => rm(await findFile(path, '.ldb')),
      /: Corruption: 1 missing files; .+ Restore a whole copy of the data folder, or delete /,
    ],
  ])('refuses a data folder %s', async (_what, change, problem) => {
    const { folder, path } = await createData();
    await change(folder, path);

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

  it('refuses data without CURRENT, and deletes nothing of them', async () => {
    const { folder, path } = await createData();
    await rm(join(path, 'CURRENT'));
    const before = await readdir(path);

    const { stderr } = await startOn(folder);

    expect(stderr).toContain('cannot be used: the file CURRENT is missing. Restore a whole copy ');
    expect(await readdir(path)).toEqual(before);
  });

  it('says what to do when it reads a damaged table', async () => {
    const { folder, path } = await createData();
    const file = await findFile(path, '.ldb');
    await writeFile(file, 'damage '.repeat((await stat(file)).size));

    // As a process, because the engine ends its process.
    const { exitCode, stderr } = await runScript('start', ['--port', '0', '--data', folder]);

    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^Corruption: .+\. Restore a whole copy of the data folder, or delete /);
  });
});
