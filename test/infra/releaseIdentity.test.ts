import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../helpers/npmScript.ts';

const who = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];

/** A small project with the same module, in a repository of its own. */
async function project() {
  const folder = await temporaryFolder();
  const git = (...args: string[]) =>
    execFileSync('git', [...who, ...args], { cwd: folder, encoding: 'utf8' }).trim();
  for (const each of ['functions', 'docs', 'infra/bundle', 'lib']) {
    mkdirSync(join(folder, each), { recursive: true });
  }
  for (const file of ['infra/releaseIdentity.ts', 'infra/bundle/bundleOptions.ts']) {
    cpSync(file, join(folder, file));
  }
  // The copied module reads these two files.
  writeFileSync(join(folder, 'lib/operations.ts'), 'export const operations = {};');
  writeFileSync(join(folder, 'package.json'), '{"type":"module","version":"1.2.3"}');
  const commit = () => {
    git('add', '--all');
    git('commit', '--quiet', '--message', 'A change');
    return git('rev-parse', 'HEAD').slice(0, 12);
  };
  return { folder, git, commit };
}

function identityIn(folder: string): unknown {
  const print = `
    const { releaseIdentity } = await import('${folder}/infra/releaseIdentity.ts');
    console.log(JSON.stringify(releaseIdentity()));`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', print], {
    encoding: 'utf8',
    // Git must not find a repository around the folder.
    env: { ...process.env, GIT_CEILING_DIRECTORIES: join(folder, '..') },
  });
  return JSON.parse(stdout);
}

describe('releaseIdentity', () => {
  it('names the last commit that changed what the functions are made of', async () => {
    const { folder, git, commit } = await project();
    git('init', '--quiet');
    const first = commit();

    writeFileSync(join(folder, 'docs', 'guide.md'), 'A guide.');
    commit();
    expect(identityIn(folder)).toEqual({ version: '1.2.3', commit: first });

    writeFileSync(join(folder, 'functions', 'getPet.ts'), '');
    const second = commit();
    expect(identityIn(folder)).toEqual({ version: '1.2.3', commit: second });
  });

  it('marks functions with uncommitted changes', async () => {
    const { folder, git, commit } = await project();
    git('init', '--quiet');
    const committed = commit();

    appendFileSync(join(folder, 'lib', 'operations.ts'), '// edited');

    expect(identityIn(folder)).toEqual({ version: '1.2.3', commit: `${committed}-modified` });
  });

  it('has no commit outside a repository', async () => {
    const { folder } = await project();

    expect(identityIn(folder)).toEqual({ version: '1.2.3', commit: 'unknown' });
  });
});
