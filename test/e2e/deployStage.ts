import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { baseAddressOutput, stackName } from '../../infra/stackNames.ts';
import { print } from '../../infra/tools/command.ts';
import { removeLacks } from './lacks.ts';
import type { Emulator } from './startEmulator.ts';

/** The CDK prints a line for each of some hundred changes. */
const maxBuffer = 16 * 1024 * 1024;

export const run = promisify(execFile);
const cdk = resolve('node_modules/.bin/cdk');

/** The stages of a commit, ready to deploy into an emulator. */
export type Assembly = {
  emulator: Emulator;
  /** The folder with the sources of the commit. */
  sources: string;
  /** The folder with the templates and bundles. */
  output: string;
};

/** Bootstraps the account for the CDK, which each AWS account needs once. */
export async function bootstrap({ folder, environment, signal }: Emulator): Promise<void> {
  // Outside the folder of cdk.json, where the CDK would first bundle every function.
  const cwd = join(folder, 'empty');
  await mkdir(cwd);
  const args = ['bootstrap', 'aws://000000000000/us-east-1', '--no-notices'];
  await run(cdk, args, { cwd, env: environment, signal });
}

/** Synthesises the stages of app.ts from the sources of a commit. */
export async function synthesise(
  emulator: Emulator,
  sources: string,
  release: string,
): Promise<Assembly> {
  const { folder, environment: env, signal } = emulator;
  const output = join(folder, release);
  const app = 'node infra/bundle/bundleFunctions.ts && node test/e2e/app.ts';
  const args = ['--quiet', '--no-notices', '--no-lookups', '--output', output];
  const context = ['-c', `release=${release}`];
  await run(cdk, ['synth', '--app', app, ...args, ...context], {
    cwd: sources,
    env,
    signal,
    maxBuffer,
  });
  return { emulator, sources, output };
}

/** Deploys a stage as far as the emulator can, and returns its base address there. */
export async function deployStage(assembly: Assembly, stage: string): Promise<string> {
  const { emulator, output } = assembly;
  const { folder, environment: env, signal } = emulator;
  await removeLacks(templateFile(assembly, stage));
  const outputsFile = join(folder, 'outputs.json');
  const args = [
    ...['deploy', stackName(stage), '--app', output],
    ...['--require-approval', 'never'],
    ...['--no-notices', '--outputs-file', outputsFile],
  ];
  await run(cdk, args, { env, signal, maxBuffer });
  print(`Deployed ${stage}.`);

  const outputs = JSON.parse(await readFile(outputsFile, 'utf8'));
  const { hostname, pathname } = new URL(outputs[stackName(stage)][baseAddressOutput]);
  const [apiId] = hostname.split('.');
  return `${emulator.endpoint}/_aws/execute-api/${apiId}${pathname}`;
}

export async function destroyStage({ emulator, output }: Assembly, stage: string): Promise<void> {
  const { environment: env, signal } = emulator;
  const args = ['destroy', stackName(stage), '--app', output, '--force', '--no-notices'];
  await run(cdk, args, { env, signal, maxBuffer });
}

export function templateFile({ output }: Assembly, stage: string): string {
  return join(output, `${stackName(stage)}.template.json`);
}

/** Issues an API key as an operator does. */
export async function issueKey({ emulator, sources }: Assembly, stage: string): Promise<string> {
  const { environment: env, signal } = emulator;
  const args = ['infra/tools/keys.ts', 'create', '--stage', stage, '--name', 'e2e'];
  const { stdout } = await run(process.execPath, args, { cwd: sources, env, signal });
  const apiKey = /ps_\S+/.exec(stdout)?.[0];
  if (!apiKey) throw new Error('npm run keys printed no API key.');
  return apiKey;
}
