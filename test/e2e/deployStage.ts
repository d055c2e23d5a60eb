import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { baseAddressOutput, stackName } from '../../infra/core/stackNames.ts';
import { print } from '../../tools/command.ts';
import { removeEmulatorGaps } from './emulatorGaps.ts';
import type { Emulator } from './startEmulator.ts';

export const run = promisify(execFile);

/** The stages of a commit, ready to deploy into an emulator. */
export type Assembly = {
  emulator: Emulator;
  /** The folder with the sources of the commit. */
  sources: string;
  /** The folder with the templates and bundles. */
  output: string;
  release: string;
};

/** Runs the AWS CLI, and returns its response, whose shape the command decides. */
export async function aws<Response>(
  { environment: env }: Emulator,
  ...args: string[]
): Promise<Response> {
  const { stdout } = await run('aws', [...args, '--output', 'json'], { env });
  return JSON.parse(stdout);
}

/** Returns the physical ids of the resources of a type in the stack of a stage. */
export function resourceIds(emulator: Emulator, stage: string, type: string): Promise<string[]> {
  const command = ['cloudformation', 'describe-stack-resources', '--stack-name', stackName(stage)];
  const query = `StackResources[?ResourceType=='${type}'].PhysicalResourceId`;
  return aws(emulator, ...command, '--query', query);
}

function cdk({ environment: env }: Emulator, cwd: string, ...args: string[]) {
  return run('cdk', [...args, '--no-notices'], { env, cwd });
}

/** Bootstraps the account for the CDK, which each AWS account needs once. */
export async function bootstrap(emulator: Emulator): Promise<void> {
  // Outside the folder of cdk.json, where the CDK would first bundle every function.
  const cwd = join(emulator.folder, 'empty');
  await mkdir(cwd);
  await cdk(emulator, cwd, 'bootstrap', 'aws://000000000000/us-east-1');
}

/** Synthesises the stages of app.ts from the sources of a commit. */
export async function synthesise(
  emulator: Emulator,
  sources: string,
  release: string,
): Promise<Assembly> {
  const output = join(emulator.folder, release);
  const app = 'npm run bundle && node test/e2e/app.ts';
  const options = ['--quiet', '--no-lookups', '--output', output, '-c', `release=${release}`];
  await cdk(emulator, sources, 'synth', '--app', app, ...options);
  return { emulator, sources, output, release };
}

/** Deploys a stage as far as the emulator can, and returns its base address there. */
export async function deployStage(
  assembly: Assembly,
  stage: string,
  ...moreOptions: string[]
): Promise<string> {
  const { emulator, output } = assembly;
  await removeEmulatorGaps(templateFile(assembly, stage));
  const outputsFile = join(emulator.folder, 'outputs.json');
  const options = ['--app', output, '--require-approval', 'never', '--outputs-file', outputsFile];
  await cdk(emulator, '.', 'deploy', stackName(stage), ...options, ...moreOptions);
  print(`Deployed ${stage}.`);

  const outputs = JSON.parse(await readFile(outputsFile, 'utf8'));
  const { hostname, pathname } = new URL(outputs[stackName(stage)][baseAddressOutput]);
  const [apiId] = hostname.split('.');
  return `${emulator.endpoint}/_aws/execute-api/${apiId}${pathname}`;
}

export async function destroyStage({ emulator, output }: Assembly, stage: string): Promise<void> {
  await cdk(emulator, '.', 'destroy', stackName(stage), '--app', output, '--force');
}

export function templateFile({ output }: Assembly, stage: string): string {
  return join(output, `${stackName(stage)}.template.json`);
}

/** Issues an API key as an operator does. */
export async function issueKey({ emulator, sources }: Assembly, stage: string): Promise<string> {
  const args = ['tools/keys.ts', 'create', '--stage', stage, '--name', 'e2e'];
  const options = { cwd: sources, env: emulator.environment };
  const { stdout } = await run(process.execPath, args, options);
  const apiKey = /ps_\S+/.exec(stdout)?.[0];
  if (!apiKey) throw new Error('npm run keys printed no API key.');
  return apiKey;
}
