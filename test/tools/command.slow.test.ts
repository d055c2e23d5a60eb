import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { runScript, startProcess, temporaryFolder } from '../helpers/npmScript.ts';

describe('npm run, in a process of its own', () => {
  it('keys ends when its work is done', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'dynamodb'));
    const args = ['create', '--name', 'demo', '--stage', 'local', '--data', folder];

    const { exitCode, stdout, stderr } = await runScript('keys', args);

    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/ps_local_\w{49}/);
  });

  it('openapi says what it wrote', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'package.json'), '{ "license": "MIT" }');

    const command = [resolve('tools/run.cjs'), 'tools/openapi.ts'];
    const running = startProcess(process.execPath, command, {}, folder);

    expect(await running.exited).toBe(0);
    expect(running.stdout).toBe('Wrote openapi.json.\n');
  });

  it('says before npm ci what to run, and starts nothing', async () => {
    const folder = await temporaryFolder();
    const check = 'tools/run.cjs';
    await cp(check, join(folder, check));

    // What a newcomer types first. `npx cdk` runs the script `app`.
    for (const name of ['start', 'dev', 'test', 'check', 'app'] as const) {
      const script = packageJson.scripts[name];
      const running = startProcess('sh', ['-c', script], {}, folder);
      expect(await running.exited, name).toBe(1);
      expect(running.stderr, name).toMatch(/^Run "npm ci" first: .+\n$/);
    }
  });

  it.each([
    ['smoke', 'tools/smoke.ts'],
    ['app', 'infra/app.ts'],
    ['e2e:deploy', 'test/e2e/app.ts'],
  ])(
    '%s fails and names itself, if %s is run without the entry of all commands',
    async (...row) => {
      const [script, file] = row;

      const running = startProcess(process.execPath, [file]);

      expect(await running.exited).toBe(1);
      expect(running.stderr).toContain(`Run it as: npm run ${script}\n`);
    },
  );

  it('finds the packages in a folder above, as in a workspace', async () => {
    const folder = await temporaryFolder();
    const check = 'tools/run.cjs';
    await cp(check, join(folder, 'services/pets', check));
    await symlink(resolve('node_modules'), join(folder, 'node_modules'));

    const running = startProcess(process.execPath, [join(folder, 'services/pets', check)]);

    expect(await running.exited).toBe(0);
  });

  it.each(['20.20.2', '24.2.0'])('says on Node.js %s which version it needs', async (node) => {
    const script = `Object.defineProperty(process, 'versions', { value: { node: '${node}' } });
require('./tools/run.cjs')`;
    const running = startProcess(process.execPath, ['-e', script]);

    expect(await running.exited).toBe(1);
    expect(running.stderr).toMatch(/^This needs Node\.js 24\.3 or newer\. /);
  });
});
