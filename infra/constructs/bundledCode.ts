import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { bundleHash, bundlesFolder, projectRoot } from '../bundle/bundleOptions.ts';

const builder = join(projectRoot, 'infra', 'bundle', 'bundleFunctions.ts');

let areBuilt = false;

/**
 * Returns the bundle of a file of `functions/`, with its hash. All stages share it.
 *
 * The first call builds all bundles, in another process because constructs are synchronous and
 * esbuild's plugins are not. A stack that needs no bundling, as in the template tests, gets the
 * source folder instead.
 */
export function bundledCode(scope: Construct, name: string): { code: Code; hash: string } {
  if (!Stack.of(scope).bundlingRequired) {
    return { code: Code.fromAsset(join(projectRoot, 'functions')), hash: 'unbundled' };
  }
  if (!areBuilt) {
    const { status } = spawnSync(process.execPath, [builder, bundlesFolder], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    if (status !== 0) throw new Error('The functions cannot be bundled: see the message above.');
    areBuilt = true;
  }
  const folder = join(bundlesFolder, name);
  return {
    code: Code.fromAsset(folder),
    hash: bundleHash(readFileSync(join(folder, 'index.mjs'))),
  };
}
