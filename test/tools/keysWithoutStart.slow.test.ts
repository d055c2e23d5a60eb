import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type RunningScript,
  runScript,
  startProcess,
  startScript,
  temporaryFolder,
} from '../helpers/npmScript.ts';

const keyForm = /ps_[\w-]+_[A-Za-z0-9]{49}/;
const firstId = (output: string) => /key_[\da-f]{12}/.exec(output)?.[0] ?? '';

describe('npm run keys, of the local stage without npm start', () => {
  /** Returns the options for a new data folder. */
  async function localOptions(): Promise<string[]> {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'dynamodb'));
    return ['--stage', 'local', '--data', folder];
  }

  it('ends when its work is done', async () => {
    const options = await localOptions();

    const created = await runScript('keys', ['create', '--name', 'demo', ...options]);

    expect(created).toMatchObject({ exitCode: 0, stderr: '' });
    expect(created.stdout).toMatch(keyForm);
  });

  const lostOutputs: [what: string, error: string, rotate: (args: string[]) => RunningScript][] = [
    [
      ...(['the reader of its output has left', 'EPIPE'] as const),
      (args) => {
        const running = startScript('keys', args);
        running.process.stdout.destroy();
        return running;
      },
    ],
    [
      ...(['the disk is full', 'ENOSPC'] as const),
      (args) => {
        const command = ['-c', 'exec "$0" "$@" > /dev/full', process.execPath];
        return startProcess('sh', [...command, 'tools/run.cjs', 'tools/keys.ts', ...args]);
      },
    ],
  ];

  it.each(lostOutputs.filter(([, error]) => error === 'EPIPE' || existsSync('/dev/full')))(
    'issues no new key and changes no other key in a rotation, if %s',
    async (_what, error, rotate) => {
      const options = await localOptions();
      const { stdout } = await runScript('keys', ['create', '--name', 'demo', ...options]);

      const rotated = rotate(['rotate', '--id', firstId(stdout), ...options]);

      expect(await rotated.exited).toBe(1);
      expect(rotated.stderr).toContain(error);
      expect(rotated.stderr).toContain('so it was not issued.');
      const list = await runScript('keys', ['list', ...options]);
      expect(list.stdout).toMatch(RegExp(`^ID .+\n${firstId(stdout)}  valid .+ never .+\n$`));
    },
  );
});
