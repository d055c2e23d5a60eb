import { describe, expect, it } from 'vitest';
import { defineCommand } from '../../tools/command.ts';
import { keys } from '../../tools/keys.ts';
import { smoke } from '../../tools/smoke.ts';
import { start } from '../../tools/start.ts';
import { runCommandHere } from '../helpers/runCommandHere.ts';

const commands = { keys, smoke, start };

const key = `ps_local_${'a'.repeat(49)}`;
const partOfKey = key.slice(0, -1);
const createKey = ['create', '--stage', 'local', '--name'];

describe('npm run', () => {
  it('prints its usage with --help', async () => {
    const { exitCode, stdout } = await runCommandHere(start, ['--help']);

    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^Usage: npm start -- /);
  });

  it.each<[script: keyof typeof commands, args: string[], message: string]>([
    ['start', ['--port', '70000'], "'--port <number>' argument '70000' is invalid"],
    ['start', ['--in-memory', '--data', 'x'], "cannot be used with option '--data <folder>'"],
    ['start', ['--data', ''], 'It takes the path of a folder.'],
    ['start', ['--cors-origin', 'http://a.test/x'], 'It takes an origin such as'],
    ['keys', [], 'Usage: npm run keys -- '],
    ['keys', [...createKey, 'x', '--expires-in-days', '0'], 'a whole number from 1 to 99999'],
    ['keys', [...createKey, ''], '1 to 64 printable characters'],
    ['keys', [...createKey, 'x'.repeat(65)], '1 to 64 printable characters'],
    ['keys', [...createKey, 'a\u001b[2Kb'], '1 to 64 printable characters'],
    ['keys', ['list', '--stage', 'lokal'], 'without -tables. The stage of npm start is local.'],
    // A key that was typed as something else is never printed.
    ['keys', ['list', '--stage', 'local', `--id=${key}`], "unknown option '--id=ps_***'"],
    ['smoke', ['--base-address', 'http://127.0.0.1/v1?stage=x'], 'that ends in /v1'],
  ])('%s exits with 2 for %j, and says what to change', async (script, args, message) => {
    const refused = await runCommandHere(commands[script], args, { PETSTORE_API_KEY: partOfKey });

    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain(message);
    expect(refused.stderr).not.toMatch(/^ {4}at /m);
    expect(refused.stderr).not.toContain(partOfKey);
  });

  it('start exits with 2 for a wrong PORT, and says what to change', async () => {
    const { exitCode, stderr } = await runCommandHere(start, [], { PORT: 'http' });

    expect(stderr).toContain("value 'http' from env 'PORT' is invalid. It takes a whole number");
    expect(exitCode).toBe(2);
  });

  it('start takes an empty PORT, as compose files pass it, for an unset one', async () => {
    const args = ['--in-memory', '--data', 'x'];

    const { stderr } = await runCommandHere(start, args, { PORT: '' });

    // It looks for conflicts after it has read the environment.
    expect(stderr).toContain("cannot be used with option '--data <folder>'");
  });

  it('shows no key that the message of a failure contains', async () => {
    const { exitCode, stderr } = await runCommandHere(keys, [
      'list',
      '--stage=local',
      '--data',
      key,
    ]);

    expect(stderr).toMatch(/^There is no data in ps_\*\*\*\. /);
    expect(exitCode).toBe(1);
  });

  it.each<[script: keyof typeof commands, args: string[], variables: string[], line: string]>([
    ['start', [], ['in_memory'], 'npm start -- --in-memory'],
    // npm passes on the value of the option, `local`, as an argument.
    ['keys', ['list', 'local'], ['stage'], 'npm run keys -- list --stage <stage>'],
  ])('%s %j exits with 2 if npm took %j, and says where -- belongs', async (...row) => {
    const [script, args, variables, line] = row;
    const taken = variables.map((name) => [`npm_config_${name}`, 'true']);

    const refused = await runCommandHere(commands[script], args, Object.fromEntries(taken));

    const stderr = `error: npm took the options for itself. Put -- before them, in PowerShell '--': ${line}\nUse --help to see what it takes.\n`;
    expect(refused).toEqual({ exitCode: 2, stdout: '', stderr });
  });

  it('runs with an option that is given, even if npm has one of the same name', async () => {
    const args = ['list', '--stage', 'local', '--data', 'nowhere'];

    const { stderr } = await runCommandHere(keys, args, { npm_config_stage: 'true' });

    expect(stderr).toMatch(/^There is no data in nowhere\. /);
  });

  it('exits with 1 and prints the stack of a mistake in the code', async () => {
    const broken = defineCommand('broken', 'Has a mistake.').action(() => {
      throw new TypeError('no function');
    });

    const { exitCode, stderr } = await runCommandHere(broken, []);

    expect(stderr).toMatch(/^TypeError: no function\n {4}at .*command\.test\.ts/);
    expect(exitCode).toBe(1);
  });
});
