import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, it } from 'node:test';

// Runs `npm run fork` on a copy of this working tree. The tests of the last fork must pass.

const project = resolve();
const listed = run('git', ['ls-files', '-zco', '--exclude-standard']).output.split('\0');
// Without the name after the last `\0`, and files that are deleted and not committed
const files = listed.filter((file) => existsSync(file));
process.chdir(mkdtempSync(join(tmpdir(), 'fork-')));
after(() => rmSync(process.cwd(), { recursive: true }));
for (const file of files) cpSync(join(project, file), file);
symlinkSync(join(project, 'node_modules'), 'node_modules');
const document = 'docs/a pet, größer.md';
writeFileSync(document, 'A `pet` is no snippet.\n');
git('init', '--quiet');
writeFileSync('.git/info/exclude', 'node_modules\n');
commit('copy');

const read = (file: string) => readFileSync(file, 'utf8');

function run(program: string, args: string[]) {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  return { status, output: `${stdout}${stderr}` };
}

function git(...args: string[]): void {
  const { status, output } = run('git', args);
  assert.equal(status, 0, output);
}

function commit(message: string): void {
  git('add', '--all');
  const author = ['-c', 'user.name=test', '-c', 'user.email=test@example.com'];
  git(...author, 'commit', '--quiet', '--message', message);
}

function fork(changed: Record<string, string> = {}) {
  const stages = { '--production': 'v1-prod', '--staging': 'v1-test' };
  const options = { '--resource': 'invoice', '--service': 'billing', ...stages, ...changed };
  return run('npm', ['run', 'fork', '--', ...Object.entries(options).flat()]);
}

function expectRefusal(refused: ReturnType<typeof run>, status: number, reason: RegExp): void {
  assert.match(refused.output, reason);
  assert.equal(refused.status, status);
  git('diff', '--exit-code', 'HEAD');
  assert(!existsSync('.fork'));
}

it('refuses names that are no words, or no names of stages', () => {
  expectRefusal(fork({ '--resource': 'Invoice' }), 2, /It takes a word/);
  expectRefusal(fork({ '--plural': 'in voices' }), 2, /It takes a word/);
  expectRefusal(fork({ '--service': 'my-billing' }), 2, /It takes a word/);
  expectRefusal(fork({ '--staging': 'test' }), 2, /Use v1-/);
});

it('keeps what Git does not know, and refuses to lose, rename or uncover it', () => {
  mkdirSync('.petstore');
  for (const file of ['.petstore/api-key', 'petstore-client-1.0.0.tgz'])
    writeFileSync(file, 'kept');
  expectRefusal(fork(), 1, /Delete these first, .*: \.petstore\/,petstore-client-1\.0\.0\.tgz\n$/);
  writeFileSync('notes.txt', 'kept');
  expectRefusal(fork(), 1, /Commit or delete these first: notes\.txt\n$/);

  assert.equal(read('.petstore/api-key'), 'kept');
  git('clean', '-dx', '--force', '--quiet', '--exclude=node_modules');
});

it('refuses a folder that is no repository of Git', () => {
  renameSync('.git', '.no-git');
  const refused = fork();
  renameSync('.no-git', '.git');

  expectRefusal(refused, 1, /failed: fatal: not a git repository.*\n$/);
});

it('changes nothing for a word of the code, and says to take another one', () => {
  expectRefusal(fork({ '--resource': 'event' }), 1, /Nothing has changed here.+another one\.\n$/);
});

it('stops after a step that fails, names it, and changes nothing', () => {
  const broken = read('package.json').replace(/("openapi": ").*(?=")/, '$1exit 3');
  writeFileSync('package.json', broken);
  commit('broken');

  expectRefusal(fork(), 1, /npm run openapi …\n"npm run openapi" failed/);

  git('reset', '--quiet', '--hard', 'HEAD~');
});

function expectFork(changed: Record<string, string>, isRight = /^$/): void {
  const { status, output } = fork(changed);
  assert.equal(status, 0, output);
  const patterns = [
    ...['(^|[^a-z])pet', 'Pet', 'PET', '\\bps_', 'v1-(production|staging)', 'npm run fork'],
    // Words that it breaks: `Snippet` as `Snipinvoice`, and `a pet` as `a invoice`
    ...['[a-z](invoice|categor[yi])', '(^|[^a-z])[Aa] `?[Ii]nvoice'],
  ].flatMap((pattern) => ['-e', pattern]);
  const others = ['*CHANGELOG.md', '*LICENSE', 'package-lock.json', 'infra/templates'];
  const paths = others.map((path) => `:!${path}`);
  const { output: lines } = run('git', [
    'grep',
    '--line-number',
    '-E',
    ...patterns,
    '--',
    ...paths,
  ]);
  assert.deepEqual(
    lines.split('\n').filter((line) => !isRight.test(line)),
    [],
  );
  // The license demands the copyright line.
  git('diff', '--cached', '--exit-code', 'HEAD', '--', 'LICENSE', 'client/LICENSE');
  assert(!existsSync('.fork'));
}

it('takes a plural, and a service that begins with "pet", and Git undoes it', () => {
  const names = { '--resource': 'category', '--plural': 'categories', '--service': 'petclinic' };
  expectFork(names, /^$|petclinic|Petclinic|PETCLINIC/);

  assert.match(read('package.json'), /"name": "petclinic-service"/);
  assert.match(read('openapi.json'), /"\/categories\/\{categoryId\}"/);
  assert.match(read('lib/apiKeys/apiKey.ts'), /`petclinic_</);
  assert.equal(read(document.replace('pet', 'category')), 'A `category` is no snippet.\n');
  git('reset', '--quiet', '--hard');
  assert.equal(run('git', ['status', '--porcelain']).output, '');
});

it('makes a service that passes its tests', () => {
  rmSync(document);
  commit('no document of its own');
  expectFork({});

  const { status, output } = run('npm', ['test']);
  assert.equal(status, 0, output);
});
