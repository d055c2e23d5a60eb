import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../helpers/npmScript.ts';

type Names = { resource: string; plural: string; service: string };

const tag: Names = { resource: 'tag', plural: 'tags', service: 'tagging' };

/** No text in UTF-8: the beginning of a JPEG, and a word that a text would lose. */
const picture = Buffer.from('ffd8ffe0706574ff', 'hex');

/** Returns a repository with the files of this working tree, and further ones, in its first commit. */
async function copyProject(further: Record<string, string | Buffer> = {}) {
  const folder = await temporaryFolder();
  const run = (program: string, ...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, encoding: 'utf8' });
    return { exitCode: status, output: stdout + stderr };
  };
  const listed = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', listed, { encoding: 'utf8' }).split('\0').slice(0, -1);
  for (const file of files) if (existsSync(file)) cpSync(file, join(folder, file));
  const write = (file: string, content: string | Buffer) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), content);
  };
  for (const [file, content] of Object.entries(further)) write(file, content);
  const author = ['-c', 'user.name=test', '-c', 'user.email=test@example.com'];
  const commit = (...options: string[]) =>
    run('git', ...author, ...options, 'commit', '--quiet', '--allow-empty', '--message', 'project');
  run('git', 'init', '--quiet');
  // Only `git add` needs it: .gitignore names a folder, and a link is none.
  writeFileSync(join(folder, '.git/info/exclude'), 'node_modules\n');
  run('git', 'add', '--all');
  commit();
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  const fork = ({ resource, plural, service }: Names) => {
    const words = ['--resource', resource, '--plural', plural, '--service', service];
    const stages = ['--production', 'v1-prod', '--staging', 'v1-test'];
    return run(process.execPath, 'tools/run.cjs', 'tools/fork.ts', ...words, ...stages);
  };
  return { folder, run, fork, write, commit };
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

  it('works in a sparse checkout, and leaves links, submodules and the content of binary files', async () => {
    const { folder, run, fork, commit } = await copyProject({
      'docs/pet.jpg': picture,
      'sparse/pet.txt': 'pet',
    });
    run('git', 'init', '--quiet', 'library');
    commit('-C', 'library');
    run('git', 'add', 'library');
    symlinkSync('pet.jpg', join(folder, 'docs/link'));
    run('git', 'add', '--all');
    commit();
    run('git', 'sparse-checkout', 'set', '--no-cone', '/*', '!/sparse/');

    const { exitCode, output } = fork(tag);

    expect([exitCode, output]).toEqual([0, expect.stringContaining('Everything has its new name')]);
    expect(readFileSync(join(folder, 'docs/tag.jpg'))).toEqual(picture);

    run('git', 'reset', '--hard');
    run('git', 'clean', '-fd');
    expect(run('git', 'status', '--porcelain').output).toBe('');
  });

  const notUndone = /^Commit or delete your changes/;

  it.each<[string, RegExp, Partial<Names>, Record<string, string>]>([
    ['a file is not committed', notUndone, {}, { 'notes/mine.txt': '' }],
    ['the data of npm start are there', /^Delete \.petstore\//, {}, { '.petstore/api-key': 'ps_' }],
    ['a word has one form', /five different names/, { resource: 'sheep', plural: 'sheep' }, {}],
    ['the service is called like the resource', /five different names/, { service: 'tag' }, {}],
  ])('changes nothing and says what to do, if %s', async (_, advice, words, further) => {
    const { run, fork, write } = await copyProject();
    for (const [file, content] of Object.entries(further)) write(file, content);
    // Of users whose repositories are large.
    run('git', 'config', 'status.showUntrackedFiles', 'no');

    const { exitCode, output } = fork({ ...tag, ...words });

    expect(output).toMatch(advice);
    expect(exitCode).not.toBe(0);
    expect(run('git', 'status', '--porcelain').output).toBe('');
  });

  it('changes nothing, and names the files, if files have the new names already', async () => {
    const files = ['docs/pet.md', 'docs/tag.md', 'pet-store', 'petstore'];
    const { run, fork } = await copyProject(Object.fromEntries(files.map((file) => [file, ''])));

    const { exitCode, output } = fork(tag);

    expect(output).toMatch(/:\ndocs\/pet\.md → docs\/tag\.md\npetstore → tagging\n$/);
    expect(exitCode).toBe(1);
    expect(run('git', 'status', '--porcelain').output).toBe('');
  });
});
