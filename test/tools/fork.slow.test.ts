import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../helpers/npmScript.ts';

type Names = { resource: string; plural: string; service: string };

/** Returns a repository with the files of this working tree in its first commit. */
async function copyProject() {
  const folder = await temporaryFolder();
  const run = (program: string, ...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, encoding: 'utf8' });
    return { exitCode: status, output: stdout + stderr };
  };
  const listed = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', listed, { encoding: 'utf8' }).split('\0').slice(0, -1);
  for (const file of files) if (existsSync(file)) cpSync(file, join(folder, file));
  run('git', 'init', '--quiet');
  // Only `git add` needs it: .gitignore names a folder, and a link is none.
  writeFileSync(join(folder, '.git/info/exclude'), 'node_modules\n');
  run('git', 'add', '--all');
  const author = ['-c', 'user.name=test', '-c', 'user.email=test@example.com'];
  run('git', ...author, 'commit', '--quiet', '--message', 'project');
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  const fork = ({ resource, plural, service }: Names) => {
    const words = ['--resource', resource, '--plural', plural, '--service', service];
    const stages = ['--production', 'v1-prod', '--staging', 'v1-test'];
    return run(process.execPath, 'tools/run.cjs', 'tools/fork.ts', ...words, ...stages);
  };
  return { folder, run, fork };
}

describe('npm run fork', () => {
  it.each<Names>([
    { resource: 'invoice', plural: 'invoices', service: 'billing' },
    // The plural is irregular, and the service begins with "pet".
    { resource: 'agency', plural: 'agencies', service: 'petcare' },
  ])(
    'leaves no old name outside licenses, compiles, and can be undone, for $plural',
    async (names) => {
      const { folder, run, fork } = await copyProject();

      expect(fork(names)).toMatchObject({ exitCode: 0 });

      run('git', 'add', '--all');
      const old = '(^|[^a-z])pet([^c]|$)|Pet([^c]|$)|PET([^C]|$)|\\bps_|v1-(production|staging)';
      const kept = [':!*LICENSE', ':!package-lock.json'];
      expect(run('git', 'grep', '--cached', '-nE', old, '--', ...kept).output).toBe('');
      expect(run('git', 'ls-files', '*[Pp]et[!c]*').output).toBe('');
      expect(readFileSync(join(folder, 'LICENSE'))).toEqual(readFileSync('LICENSE'));
      expect(run(resolve('node_modules/.bin/tsc'))).toEqual({ exitCode: 0, output: '' });

      run('git', 'reset', '--hard');
      run('git', 'clean', '-fd');
      expect(run('git', 'status', '--porcelain').output).toBe('');
    },
  );

  it('changes nothing and says what to do, if a change is not committed', async () => {
    const { folder, run, fork } = await copyProject();
    writeFileSync(join(folder, 'notes.txt'), '');

    const { exitCode, output } = fork({ resource: 'tag', plural: 'tags', service: 'tagging' });

    expect([exitCode, output]).toEqual([
      1,
      expect.stringMatching(/^Commit or delete your changes/),
    ]);
    expect(run('git', 'status', '--porcelain').output).toBe('?? notes.txt\n');
  });
});
