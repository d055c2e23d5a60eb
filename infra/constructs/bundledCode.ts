import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';

const projectRoot = join(import.meta.dirname, '..', '..');
const builder = join(projectRoot, 'infra', 'bundle', 'bundleFunctions.ts');
const bundlesFolder = join(projectRoot, '.bundles');

let areBuilt = false;

/**
 * The bundle of a file of `functions/`, which all stages share.
 *
 * The first one that is asked for has all of them built, in another process, because the CDK does not
 * wait. Where nothing is to be bundled, as in the tests of the templates, it is no code at all.
 */
export function bundledCode(scope: Construct, name: string): Code {
  if (!Stack.of(scope).bundlingRequired) return Code.fromAsset(join(projectRoot, 'functions'));
  if (!areBuilt) {
    const { status } = spawnSync(process.execPath, [builder, bundlesFolder], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    if (status !== 0) throw new Error('The functions cannot be bundled.');
    areBuilt = true;
  }
  const { hash } = JSON.parse(readFileSync(join(bundlesFolder, `${name}.json`), 'utf8'));
  return Code.fromAsset(join(bundlesFolder, name), { assetHash: hash });
}
