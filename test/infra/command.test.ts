import { existsSync } from 'node:fs';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keys } from '../../infra/tools/keys.ts';
import { smoke } from '../../infra/tools/smoke.ts';
import { start } from '../../infra/tools/start.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { startProcess, startScript, temporaryFolder } from '../helpers/npmScript.ts';
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
    ['keys', [...createKey, ' '], '1 to 64 printable characters, not all spaces'],
    ['keys', [...createKey, 'x'.repeat(65)], '1 to 64 printable characters'],
    ['keys', [...createKey, 'a\u001b[2Kb'], '1 to 64 printable characters'],
    // A key that was typed as something else is never printed.
    ['keys', ['list', '--stage', 'local', `--id=${key}`], "unknown option '--id=ps_***'"],
    ['smoke', ['--base-url', 'http://127.0.0.1/v1?stage=x'], 'that ends in /v1'],
    ['smoke', ['--base-url', 'https://{apiId}.example.com/v1'], 'without {…}: the BaseAddress'],
    ['smoke', ['--base-url', 'http://127.0.0.1:3000/v1'], 'PETSTORE_API_KEY takes a whole key'],
  ])('%s exits with 2 for %j, and says what to change', async (script, args, message) => {
    const refused = await runCommandHere(commands[script], args, { PETSTORE_API_KEY: partOfKey });

    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain(message);
    expect(refused.stderr).not.toMatch(/^ {4}at /m);
    expect(refused.stderr).not.toContain(partOfKey);
  });

  it.each<[script: keyof typeof commands, args: string[], variables: string[], line: string]>([
    ['start', [], ['in_memory'], 'npm start -- --in-memory'],
    // npm passes on the value of the option, `local`, as an argument.
    ['keys', ['list', 'local'], ['stage'], 'npm run keys -- list --stage <stage>'],
  ])('%s %j exits with 2 if npm took %j, and says where -- belongs', async (...row) => {
    const [script, args, variables, line] = row;
    const taken = variables.map((name) => [`npm_config_${name}`, 'true']);

    const refused = await runCommandHere(commands[script], args, Object.fromEntries(taken));

    const stderr = `error: npm took the options for itself. Put -- before them: ${line}\nUse --help to see what it takes.\n`;
    expect(refused).toEqual({ exitCode: 2, stdout: '', stderr });
  });

  it('ends silently if the reader of its output has left, such as `head`', async () => {
    const running = startScript('keys', ['--help']);
    running.process.stdout.destroy();

    expect(await running.exited).toBe(0);
    expect(running.stderr).toBe('');
  });

  it.each<[script: string, args: string[], files: Record<string, string>, stdout: RegExp]>([
    ['docs', ['--out', 'site'], {}, /^Wrote \d+ files to site\. The page is site.index\.html\.\n$/],
    [
      'openapi',
      [],
      { 'package.json': JSON.stringify({ license: 'MIT' }) },
      /^Wrote openapi\.json\.\n$/,
    ],
    [
      'templates',
      [],
      {
        'cdk.out/manifest.json': JSON.stringify({
          artifacts: { A: { type: 'aws:cloudformation:stack', properties: { templateFile: 'A' } } },
        }),
        'cdk.out/A': '{}',
        'infra/A': '',
      },
      /^Wrote infra.templates.A\.json\.\n/,
    ],
  ])('%s says what it wrote', async (script, args, files, stdout) => {
    const folder = await temporaryFolder();
    for (const [file, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), text);
    }

    const file = resolve(`infra/tools/${script}.ts`);
    const running = startProcess(process.execPath, [file, ...args], {}, folder);

    expect(await running.exited).toBe(0);
    expect(running.stdout).toMatch(stdout);
  });

  it.runIf(existsSync('/proc')).each([
    ['docs', ['--out', '/proc/x'], 'Check that /proc/x is the right path'],
    ['start', ['--port', '0', '--data', '/proc/x'], 'or choose another folder with --data.'],
  ])(
    '%s fails if it cannot create its folder, and names the folder',
    async (script, args, advice) => {
      const file = `infra/tools/${script}.ts`;

      const running = startProcess(process.execPath, [file, ...args]);

      expect(await running.exited).toBe(1);
      expect(running.stderr).toMatch(/: .+, mkdir '\/proc\/x'\. /);
      expect(running.stderr).toContain(advice);
    },
  );

  it('says before npm ci what to run, and starts nothing', async () => {
    const folder = await temporaryFolder();
    const check = 'infra/tools/assertInstalled.cjs';
    await cp(check, join(folder, check));

    // A script with a colon in its name is a part or a variant of another. npm itself runs postinstall.
    const isForUsers = (name: string) => !/:|^postinstall$/.test(name);
    const scripts = Object.entries(packageJson.scripts).filter(([name]) => isForUsers(name));
    expect(scripts.length).toBeGreaterThan(10);
    for (const [name, script] of scripts) {
      const running = startProcess('sh', ['-c', script], {}, folder);
      expect(await running.exited, name).toBe(1);
      expect(running.stderr, name).toMatch(/^Run "npm ci" first: .+\n$/);
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
