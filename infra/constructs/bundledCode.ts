import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';

const projectRoot = join(import.meta.dirname, '..', '..');
const builder = join(projectRoot, 'infra', 'bundle', 'bundleFunctions.ts');
const bundlesFolder = join(projectRoot, '.bundles');

let areBuilt = false;

/**
 * Returns the bundle of a file of `functions/`. All stages share it.
 *
 * The first call builds all bundles, in another process because constructs are synchronous and
 * esbuild's plugins are not. A stack that needs no bundling, as in the template tests, gets the
 * source folder instead.
 */
export function bundledCode(scope: Construct, name: string): Code {
  if (!Stack.of(scope).bundlingRequired) return Code.fromAsset(join(projectRoot, 'functions'));
  if (!areBuilt) {
    const { status } = spawnSync(process.execPath, [builder, bundlesFolder], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    if (status !== 0) throw new Error('The functions cannot be bundled: see the message above.');
    areBuilt = true;
  }
  return Code.fromAsset(join(bundlesFolder, name));
}
