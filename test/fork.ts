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
import { dirname, join, resolve } from 'node:path';
import { after, describe, it } from 'node:test';

// Runs `npm run fork` on a copy of this working tree. The tests of the last fork must pass.

const copy = mkdtempSync(join(tmpdir(), 'fork-'));
after(() => rmSync(copy, { recursive: true }));

const inCopy = (file: string) => join(copy, file);
const read = (file: string) => readFileSync(inCopy(file), 'utf8');

function write(file: string, text: string): void {
  mkdirSync(dirname(inCopy(file)), { recursive: true });
  writeFileSync(inCopy(file), text);
}

function run(program: string, args: string[]) {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: copy, encoding: 'utf8' });
  return { status, output: `${stdout}${stderr}` };
}

function git(...args: string[]): string {
  const { status, output } = run('git', args);
  assert.equal(status, 0, output);
  return output;
}

function commit(message: string): void {
  git('add', '--all');
  const author = ['-c', 'user.name=test', '-c', 'user.email=test@example.com'];
  git(...author, 'commit', '--quiet', '--message', message);
}

function fork(changed: Record<string, string> = {}) {
  const options = {
    ...{ '--resource': 'invoice', '--service': 'billing' },
    ...{ '--production': 'v1-prod', '--staging': 'v1-test' },
    ...changed,
  };
  return run('npm', ['run', 'fork', '--', ...Object.entries(options).flat()]);
}

const { stdout: listed } = spawnSync('git', ['ls-files', '-zco', '--exclude-standard'], {
  encoding: 'utf8',
});
for (const file of listed.split('\0')) if (existsSync(file)) cpSync(file, inCopy(file));
symlinkSync(resolve('node_modules'), inCopy('node_modules'));
write('docs/a pet, größer.md', 'A `pet` is no snippet.\n');
git('init', '--quiet');
write('.git/info/exclude', 'node_modules\n');
commit('copy');

describe('npm run fork changes nothing', () => {
  function expectRefusal(refused: ReturnType<typeof run>, status: number, reason: RegExp): void {
    assert.match(refused.output, reason);
    assert.equal(refused.status, status);
    git('diff', '--exit-code', 'HEAD');
    assert(!existsSync(inCopy('.fork')));
  }

  for (const [option, value] of [
    ['--resource', 'Invoice'],
    ['--plural', 'in voices'],
    ['--service', 'my-billing'],
    ['--production', 'prod'],
  ] as const) {
    it(`for ${option} ${value}`, () => {
      expectRefusal(fork({ [option]: value }), 2, /It takes a word|Use v1-/);
    });
  }

  it('if it would lose, rename or uncover files that Git does not know', () => {
    for (const file of ['.petstore/api-key', 'client/petstore-client-1.0.0.tgz'])
      write(file, 'kept');
    expectRefusal(
      fork(),
      1,
      /elete these first, .*: \.petstore\/,client\/petstore-client-1\.0\.0\.tgz\n$/,
    );
    write('notes.txt', 'kept');
    expectRefusal(fork(), 1, /elete these first: notes\.txt\n$/);

    assert.equal(read('.petstore/api-key'), 'kept');
    git('clean', '-dx', '--force', '--quiet', '--exclude=node_modules');
  });

  it('without a repository of Git', () => {
    renameSync(inCopy('.git'), inCopy('.no-git'));
    const refused = fork();
    renameSync(inCopy('.no-git'), inCopy('.git'));

    expectRefusal(refused, 1, /failed: fatal: not a git repository.*\n$/);
  });

  for (const word of ['class', 'event']) {
    it(`for a word of the code, and says to take another one: ${word}`, () => {
      expectRefusal(
        fork({ '--resource': word }),
        1,
        /Nothing has changed here\. .+ another one\.\n$/,
      );
    });
  }

  it('after a step that fails, and names the step', () => {
    write('package.json', read('package.json').replace(/("format": ").*(?=")/, '$1exit 3'));
    commit('broken');

    expectRefusal(fork(), 1, /"npm run format" failed/);

    git('reset', '--quiet', '--hard', 'HEAD~');
  });
});

describe('npm run fork gives everything its new name', () => {
  // The last patterns find `Snippet` as `Snipinvoice`, and `a pet` as `a invoice`.
  const oldNames = ['(^|[^a-z])pet', 'Pet', 'PET', '\\bps_', 'v1-(production|staging)'];
  const broken = ['[a-z](invoice|categor[yi])', '(^|[^a-z])[Aa] `?[Ii]nvoice', 'npm run fork'];
  const kept = ['*CHANGELOG.md', '*LICENSE', 'package-lock.json', 'infra/templates'];

  function expectFork(changed: Record<string, string>, allowed = /^$/): void {
    const { status, output } = fork(changed);
    assert.equal(status, 0, output);
    assert(!existsSync(inCopy('.fork')));
    git('add', '--all');
    const patterns = [...oldNames, ...broken].flatMap((each) => ['-e', each]);
    const { output: lines } = run('git', [
      ...['grep', '--line-number', '-E', ...patterns, '--'],
      ...kept.map((each) => `:!${each}`),
    ]);
    assert.deepEqual(
      lines.split('\n').filter((line) => !allowed.test(line)),
      [],
    );
    // The license demands the copyright line.
    git('diff', '--cached', '--exit-code', 'HEAD', '--', 'LICENSE', 'client/LICENSE');
  }

  it('with a plural of its own and a service that begins with "pet", and Git takes it back', () => {
    const names = { '--resource': 'category', '--plural': 'categories', '--service': 'petclinic' };
    expectFork(names, /^$|petclinic|Petclinic|PETCLINIC/);

    assert.match(read('openapi.json'), /"\/categories\/\{categoryId\}"/);
    assert.match(read('lib/apiKeys/apiKey.ts'), /`petclinic_</);
    assert.equal(read('docs/a category, größer.md'), 'A `category` is no snippet.\n');
    git('reset', '--quiet', '--hard');
    assert.equal(git('status', '--porcelain'), '');
  });

  it('and passes its tests', () => {
    rmSync(inCopy('docs/a pet, größer.md'));
    commit('without a document that nothing names');
    expectFork({});

    const { status, output } = run('npm', ['test']);
    assert.equal(status, 0, output);
  });
});
