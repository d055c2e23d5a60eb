import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { fork as command } from '../../tools/fork.ts';
import { temporaryFolder } from '../helpers/npmScript.ts';
import { runCommandHere } from '../helpers/runCommandHere.ts';

// Forks a small repository without npm. `npm run test:fork` forks this one.

const project = {
  '.gitignore': '.petstore/\n*.tgz\n',
  'lib/pets/petStore.ts': 'A pet, the pets and PetStore, in v1-production and v1-staging\n',
  'package.json': '{ "name": "petstore-service" }\n',
  'test/fork.ts': '',
  'test/tools/fork.slow.test.ts': '',
  'tools/fork.ts': '',
};

const optionsFor = (resource: string) =>
  `--service billing --production v1-prod --staging v1-test --resource ${resource}`.split(' ');

let folder: string;
let npm: string;
let environment: NodeJS.ProcessEnv;

function run(program: string, args: string[], variables: NodeJS.ProcessEnv = {}) {
  const env = { ...environment, ...variables };
  const { status, ...output } = spawnSync(program, args, { cwd: folder, env, encoding: 'utf8' });
  return { exitCode: status, stdout: output.stdout, stderr: output.stderr };
}

const git = (...args: string[]) => run('git', args).stdout;

const fork = (resource: string, variables?: NodeJS.ProcessEnv) =>
  run(
    process.execPath,
    [resolve('tools/run.cjs'), 'tools/fork.ts', ...optionsFor(resource)],
    variables,
  );

function write(file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}

const read = (file: string) => readFileSync(join(folder, file), 'utf8');

async function createRepository(): Promise<void> {
  folder = await temporaryFolder();
  const home = await temporaryFolder();
  npm = join(home, 'npm.cjs');
  writeFileSync(npm, '');
  const ignored = join(home, 'ignored');
  writeFileSync(ignored, 'tags\n');
  const user = '[user]\nname = test\nemail = test@example.com\n';
  writeFileSync(join(home, '.gitconfig'), `${user}[core]\nexcludesFile = ${ignored}\n`);
  environment = { PATH: process.env.PATH, HOME: home, npm_execpath: npm };
  for (const [file, text] of Object.entries(project)) write(file, text);
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'project');
}

describe('npm run fork', () => {
  beforeEach(createRepository);

  it.each<[where: string, variables: () => NodeJS.ProcessEnv]>([
    ['a terminal', () => ({})],
    [
      'a hook of Git',
      () => ({ GIT_DIR: join(folder, '.git'), GIT_INDEX_FILE: join(folder, '.git/index') }),
    ],
  ])(
    'renames every file that Git tracks, even one that the user ignores, and leaves the data of npm start alone, in %s',
    (_where, variables) => {
      write('.petstore/api-key', 'kept');

      const { exitCode, stdout, stderr } = fork('tag', variables());

      expect([exitCode, stderr]).toEqual([0, '']);
      expect(git('ls-files')).toBe('.gitignore\nlib/tags/tagStore.ts\npackage.json\n');
      // What is staged is in the folder too.
      expect(git('diff', '--stat')).toBe('');
      expect(read('lib/tags/tagStore.ts')).toBe(
        'A tag, the tags and Billing, in v1-prod and v1-test\n',
      );
      expect(read('.petstore/api-key')).toBe('kept');
      expect(stdout).toMatch(/^Delete \.petstore\/, which the new \.gitignore does not name\.$/m);
      expect(existsSync(join(folder, '.fork'))).toBe(false);
    },
  );

  it.each<[what: string, prepare: () => void, message: RegExp]>([
    [
      'a file is not committed',
      () => write('notes.txt', ''),
      /^Commit or delete these first: notes\.txt$/m,
    ],
    [
      'Git ignores a file with an old name',
      () => write('petstore-client-1.0.0.tgz', ''),
      /^Delete these first, .+: petstore-client-1\.0\.0\.tgz$/m,
    ],
    [
      'a step fails',
      () => writeFileSync(npm, 'process.exit(3)'),
      /^"npm run openapi" failed: \nNothing has changed here\. .+ another one\.$/m,
    ],
  ])('exits with 1 and changes nothing if %s', (_what, prepare, message) => {
    prepare();

    const { exitCode, stderr } = fork('invoice');

    expect(stderr).toMatch(message);
    expect(exitCode).toBe(1);
    expect(git('diff', '--stat', 'HEAD')).toBe('');
    expect(existsSync(join(folder, '.fork'))).toBe(false);
  });

  it('exits with 1 in a folder that is no repository of Git', () => {
    rmSync(join(folder, '.git'), { recursive: true });

    const { exitCode, stderr } = fork('invoice');

    expect(stderr).toMatch(/failed: fatal: not a git repository/);
    expect(exitCode).toBe(1);
  });
});

describe('npm run fork, before it looks at files', () => {
  it.each<[resource: string, message: string]>([
    ['Invoice', 'It takes a word'],
    ['invoice --plural in-voices', 'It takes a word'],
    ['invoice --service my-billing', 'It takes a word'],
    ['invoice --staging test', 'Use v1-'],
    ['series --plural series', 'error: --plural must differ from --resource.'],
    ...['class', 'box', 'match', 'category'].map<[string, string]>((word) => [
      word,
      `error: The plural of "${word}" is not "${word}s": add --plural.`,
    ]),
  ])('exits with 2 for --resource %s, and says what to change', async (resource, message) => {
    // A fork of this repository would end without Git.
    const refused = await runCommandHere(command, optionsFor(resource), { PATH: '' });

    expect(refused.stderr).toContain(message);
    expect(refused.exitCode).toBe(2);
  });
});
