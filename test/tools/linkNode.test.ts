import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../helpers/npmScript.ts';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));

/** Runs postinstall on a project with this Node.js, and returns the project's link to it. */
async function install(program: string, linked?: string) {
  const folder = await temporaryFolder();
  const bin = join(folder, 'node_modules/.bin');
  const ofPackage = join(folder, `node_modules/node-${process.platform}-${process.arch}/bin`);
  for (const each of [bin, ofPackage]) mkdirSync(each, { recursive: true });
  cpSync('tools/linkNode.cjs', join(folder, 'tools/linkNode.cjs'));
  writeFileSync(join(ofPackage, 'node'), program, { mode: 0o755 });
  const link = join(bin, 'node');
  if (linked !== undefined) writeFileSync(link, linked, { mode: 0o755 });

  const { status, stderr } = spawnSync('bash', ['-c', scripts.postinstall], {
    cwd: folder,
    env: { PATH: [bin, process.env.PATH].join(':'), npm_node_execpath: process.execPath },
    encoding: 'utf8',
  });

  expect(status, stderr).toBe(0);
  return link;
}

const running = '#!/bin/sh\n';
const foreign = '#!/lib/missing-loader\n';

describe.skipIf(process.platform === 'win32')('npm ci', () => {
  it('links the Node.js of the lock file, which npm 10 does not', async () => {
    const link = await install(running);

    expect(readFileSync(link, 'utf8')).toBe(running);
  });

  it('leaves no Node.js in the way that the system cannot run, which newer versions of npm link', async () => {
    const link = await install(foreign, foreign);

    expect(existsSync(link)).toBe(false);
  });
});
