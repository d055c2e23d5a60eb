import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, it } from 'node:test';

// Runs `npm run fork` on a copy of this working tree. The tests of the fork must pass. fork.slow.test.ts has the
// refusals that need no whole project.

// In a hook of Git, its variables would lead each `git` to the repository of this project.
for (const name of Object.keys(process.env)) if (name.startsWith('GIT_')) delete process.env[name];
const project = resolve();
const listed = run('git', ['ls-files', '-zco', '--exclude-standard']).output.split('\0');
// Without the name after the last `\0`, and files that are deleted and not committed
const files = listed.filter((file) => existsSync(file));
process.chdir(mkdtempSync(join(tmpdir(), 'fork-')));
after(() => rmSync(process.cwd(), { recursive: true }));
for (const file of files) cpSync(join(project, file), file);
symlinkSync(join(project, 'node_modules'), 'node_modules');
const document = 'a pet, größer.md';
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

function fork(changed: Record<string, string>) {
  const stages = { '--production': 'v1-prod', '--staging': 'v1-test' };
  const options = { '--resource': 'invoice', '--service': 'billing', ...stages, ...changed };
  return run('npm', ['run', 'fork', '--', ...Object.entries(options).flat()]);
}

it('changes nothing for a word of the code, and says to take another one', () => {
  const refused = fork({ '--resource': 'event' });

  assert.match(refused.output, /Nothing has changed here.+another one\.\n$/);
  assert.equal(refused.status, 1);
  git('diff', '--exit-code', 'HEAD');
  assert(!existsSync('.fork'));
});

it('makes a service that passes its types and tests, and Git undoes it', () => {
  // The plural is irregular, the resource begins with a vowel, and the service with "pet".
  const names = { '--resource': 'agency', '--plural': 'agencies', '--service': 'petcare' };
  const forked = fork(names);
  assert.equal(forked.status, 0, forked.output);
  assert(!existsSync('.fork'));

  const old = ['(^|[^a-z])pet([^c]|$)', 'Pet([^c]|$)', 'PET([^C]|$)', '\\bps_'];
  old.push('v1-(production|staging)', 'npm run fork');
  const left = ['grep', '-nE', old.join('|'), '--'];
  // The license demands the copyright line.
  for (const path of ['*CHANGELOG.md', '*LICENSE', 'package-lock.json']) left.push(`:!${path}`);
  assert.equal(run('git', left).output, '');
  git('diff', '--cached', '--exit-code', 'HEAD', '--', 'LICENSE', 'client/LICENSE');
  assert.equal(read('an agency, größer.md'), 'An `agency` is no snippet.\n');

  const { status, output } = run('npm', ['test']);
  assert.equal(status, 0, output);

  git('reset', '--quiet', '--hard');
  assert.equal(run('git', ['status', '--porcelain']).output, '');
});
