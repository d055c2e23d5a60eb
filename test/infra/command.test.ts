import { readFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { describe, expect, it } from 'vitest';
import { startProcess, startScript, temporaryFolder } from '../helpers/npmScript.ts';
import { runCommandHere } from '../helpers/runCommandHere.ts';

const scripts: Record<string, string> = JSON.parse(readFileSync('package.json', 'utf8')).scripts;

/** The file of a script that is a command of this project. */
const ownFile = /^(?:node \S+\.cjs && )?node (\S+\.ts)$/;

const own = Object.keys(scripts).filter((name) => ownFile.test(scripts[name] ?? ''));

const key = `ps_local_${'a'.repeat(49)}`;
const partOfKey = key.slice(0, -1);
const createKey = ['create', '--stage', 'local', '--name'];

/** Loads the command of a script. */
async function commandOf(script: string): Promise<CommandUnknownOpts> {
  const file = ownFile.exec(scripts[script] ?? '')?.[1] ?? '';
  const source = readFileSync(file, 'utf8');
  const exported = Object.entries(await import(resolve(file)));
  const [name, command] = exported.find(([, value]) => value instanceof Command) ?? [];
  expect(source).toMatch(
    new RegExp(`^if \\(import\\.meta\\.main\\)[^}]* await runCommand\\(${name}\\);`, 'm'),
  );
  return command as CommandUnknownOpts;
}

describe('npm run', () => {
  it.each(own)('%s prints its usage with --help', async (script) => {
    const command = await commandOf(script);

    const { exitCode, stdout } = await runCommandHere(command, ['--help']);

    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringMatching(/^Usage: npm (run )?[\w:-]+ -- /),
    ]);
  });

  it.each<[script: string, args: string[], message: string]>([
    ['start', ['--port', '70000'], "'--port <number>' argument '70000' is invalid"],
    ['start', ['--port', 'x'], 'It takes a whole number from 0 to 65535.'],
    ['start', ['--in-memory', '--data', 'x'], "cannot be used with option '--data <folder>'"],
    ['start', ['--data', ''], 'It takes the path of a folder.'],
    ['start', ['--cors-origin', 'http://a.test/x'], 'It takes an origin such as'],
    ['keys', [], 'Usage: npm run keys -- '],
    ['keys', [...createKey, 'x', '--expires-in-days', '0'], 'a whole number from 1 to 99999'],
    ['keys', ['list', '--stage', 'alice'], ', or a sandbox such as v1-'],
    ['keys', [...createKey, ' '], '1 to 64 printable characters, not all spaces'],
    ['keys', [...createKey, 'x'.repeat(65)], '1 to 64 printable characters'],
    ['keys', [...createKey, 'a\u001b[2Kb'], '1 to 64 printable characters'],
    // A key that was typed as something else is never printed.
    ['keys', ['list', '--stage', 'local', `--id=${key}`], "unknown option '--id=ps_***'"],
    ['smoke', ['--base-url', 'http://127.0.0.1/v1?stage=x'], 'that ends in /v1'],
    ['docs', ['--server', 'https://api.example.com'], 'that ends in /v1'],
    ['smoke', ['--base-url', 'http://127.0.0.1:3000/v1'], 'PETSTORE_API_KEY takes a whole key'],
  ])('%s exits with 2 for %j, and says what to change', async (script, args, message) => {
    const command = await commandOf(script);

    const refused = await runCommandHere(command, args, {
      PETSTORE_API_KEY: partOfKey,
    });

    expect(refused).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining(message),
    });
    expect(refused.stderr).not.toMatch(/^ {4}at /m);
    expect(refused.stderr).not.toContain(partOfKey);
  });

  it.each<[script: string, args: string[], variables: string[], line: string]>([
    ['start', [], ['in_memory'], 'npm start -- --in-memory'],
    // npm makes arguments of their values: `local` and `x`.
    [
      'keys',
      ['create', 'local', 'x'],
      ['stage', 'name'],
      'npm run keys -- create --stage <stage> --name <client>',
    ],
  ])('%s %j exits with 2 if npm took its options, and says where -- belongs', async (...row) => {
    const [script, args, variables, line] = row;
    const command = await commandOf(script);
    const taken = variables.map((name) => [`npm_config_${name}`, 'true']);

    const refused = await runCommandHere(command, args, Object.fromEntries(taken));

    expect(refused).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `error: npm took the options for itself. Put -- before them: ${line}\n`,
    });
  });

  it('ends silently if the reader of its output has left, such as `head`', async () => {
    const running = startScript('keys', ['--help']);
    running.process.stdout.destroy();

    expect(await running.exited).toBe(0);
    expect(running.stderr).toBe('');
  });

  it('says before npm ci what to run, and starts nothing', async () => {
    const folder = await temporaryFolder();
    const check = 'infra/tools/assertInstalled.cjs';
    await cp(check, join(folder, check));

    for (const name of ['start', 'dev', 'test']) {
      const running = startProcess('sh', ['-c', scripts[name] ?? ''], {}, folder);
      expect(await running.exited).toBe(1);
      expect(running.stderr).toMatch(/^Run "npm ci" first: .+\n$/);
    }
  });

  it('says which Node.js it needs, on one that is too old', async () => {
    const script = `Object.defineProperty(process, 'versions', { value: { node: '23.11.1' } });
require('./infra/tools/assertInstalled.cjs')`;
    const running = startProcess(process.execPath, ['-e', script]);

    expect(await running.exited).toBe(1);
    expect(running.stderr).toMatch(/^This needs Node\.js 24\. /);
  });
});
