import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { describe, expect, it } from 'vitest';
import { keys } from '../../infra/tools/keys.ts';
import { start } from '../../infra/tools/start.ts';
import { listen } from '../helpers/listen.ts';
import { runScript, temporaryFolder } from '../helpers/npmScript.ts';
import { runCommandHere } from '../helpers/runCommandHere.ts';

describe('npm start', () => {
  it('says what to type if the port is taken', async () => {
    const port = Number(new URL(await listen(() => {})).port);
    const data = join(await temporaryFolder(), 'my pets');
    const others = ['--seed', '5', '--cors-origin', 'http://a.test', '--cors-origin', 'null'];
    const args = ['--port', String(port), ...others, '--data', data];

    // As a process, because the database has started already and must not keep it alive.
    const { exitCode, stderr } = await runScript('start', args);

    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      `Port ${port} is taken. Stop the program that uses it, or choose another port: npm start -- --data '${data}' --seed 5 --cors-origin http://a.test --cors-origin null --port ${port + 1}  (0 takes any free port)\n`,
    );
  });

  it('says what to do if the data folder is in use', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'dynamodb'));
    const database = new ClassicLevel(join(folder, 'dynamodb'));
    await database.open();

    const refused = await runCommandHere(start, ['--port', '0', '--data', folder]);

    await database.close();
    expect(refused).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `The data in ${folder}/dynamodb are in use by another npm start. Choose another folder with --data, and another --port.\n`,
    });
  });

  it('says what to do if the data folder is a file', async () => {
    const args = ['--port', '0', '--data', 'package.json'];

    const { exitCode, stderr } = await runCommandHere(start, args);

    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      /^The data in package.json\/dynamodb cannot be used: EEXIST.+ -- --in-memory\.\n$/,
    );
  });

  it.each(['.', 'dynamodb'])(
    'refuses a data folder to which others may write: %s',
    async (name) => {
      const folder = await temporaryFolder();
      await mkdir(join(folder, 'dynamodb'));
      await chmod(join(folder, name), 0o770);
      const args = ['--port', '0', '--data', folder];

      const { exitCode, stderr } = await runCommandHere(start, args);

      expect(exitCode).toBe(1);
      expect(stderr).toContain(`other users may write to ${join(folder, name)}, which chmod go-w `);
    },
  );

  it.runIf(process.getuid?.() === 0)('refuses a data folder of another user', async () => {
    const folder = await temporaryFolder();
    await chown(folder, 12345, 12345);
    const args = ['--port', '0', '--data', folder];

    const { exitCode, stderr } = await runCommandHere(start, args);

    expect(exitCode).toBe(1);
    expect(stderr).toContain(`another user owns ${folder}`);
  });

  it.each([
    ['CURRENT', /^CURRENT$/],
    ['*.log', /\.log$/],
  ])('never starts on half a copy, which lacks %s', async (missing, pattern) => {
    const folder = await temporaryFolder();
    const path = join(folder, 'dynamodb');
    const database = new ClassicLevel(path);
    await database.put('key', 'value');
    await database.close();
    for (const name of await readdir(path)) if (pattern.test(name)) await rm(join(path, name));
    const before = await readdir(path);

    const { exitCode, stderr } = await runCommandHere(start, ['--port', '0', '--data', folder]);

    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      `cannot be read: the file ${missing} is missing, as in half a copy. Move`,
    );
    expect(await readdir(path)).toEqual(before);
  });

  it.each([
    ['CURRENT', 'cannot be read: Corruption: .+'],
    ['.ldb', 'cannot be read: Corruption: .+'],
    ['.log', 'were damaged, and some of them are lost. Start again to use the rest'],
  ])('never starts silently on data with damage in %s', async (damaged, problem) => {
    const folder = await temporaryFolder();
    const path = join(folder, 'dynamodb');
    const database = new ClassicLevel(path);
    const put = () => Promise.all(ids.map((id) => database.put(`${Math.random()}`, id)));
    const ids = Array.from({ length: 2000 }, (_, n) => String(n));
    await put();
    await database.close();
    // LevelDB moves its journal to a table when it opens.
    await database.open();
    await put();
    await database.close();
    const name = (await readdir(path)).find((each) => each.endsWith(damaged)) ?? '';
    const file = await open(join(path, name), 'r+');
    await file.write('damage '.repeat(1000), 0);
    await file.close();

    const refused = await runCommandHere(start, ['--port', '0', '--data', folder]);

    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toMatch(
      new RegExp(`^The data in ${path} ${problem}.+ove that folder away.*\\.\\n$`),
    );
  });
});

describe('npm run keys', () => {
  it('creates no database in a folder that has none', async () => {
    const folder = join(await temporaryFolder(), 'typo');

    const { exitCode, stderr } = await runCommandHere(keys, [
      'list',
      '--stage',
      'local',
      '--data',
      folder,
    ]);

    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      `There is no data in ${folder}. Name the folder of the service with --data, or run npm start first.\n`,
    );
    expect(existsSync(folder)).toBe(false);
  });
});
