import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { outputNames, stackName } from '../../infra/stages.ts';
import type { Emulator } from './startEmulator.ts';

type Deployment = {
  emulator: Emulator;
  stage: string;
  /** The folder that the CDK writes to. */
  folder: string;
  signal: AbortSignal;
};

const run = promisify(execFile);
const cdk = resolve('node_modules/.bin/cdk');

/** The account and Region of the emulator. */
const account = 'aws://000000000000/us-east-1';

/** Bootstraps the account for the CDK, which each AWS account needs once. */
export async function bootstrap({ emulator, folder, signal }: Deployment): Promise<void> {
  // Outside the folder of cdk.json, where the CDK would first bundle every function.
  const cwd = join(folder, 'empty');
  await mkdir(cwd);
  await run(cdk, ['bootstrap', account, '--no-notices'], {
    cwd,
    env: emulator.environment,
    signal,
  });
}

/** The resources that the emulator cannot deploy. */
const lacking = /^AWS::CodeDeploy::/;

/** Deploys the stack of a stage and returns its base address in the emulator. */
export async function deployStage(deployment: Deployment): Promise<string> {
  const { emulator, stage, folder, signal } = deployment;
  const options = { env: emulator.environment, signal, maxBuffer: maxOutputBytes };
  const app = join(folder, 'cdk.out');
  await run(cdk, ['synth', '--quiet', '--no-notices', '--no-lookups', '--output', app], options);
  await removeLacking(join(app, `${stackName(stage)}.template.json`));

  const outputsFile = join(folder, 'outputs.json');
  const args = [
    ...['deploy', stackName(stage), '--app', app],
    ...['--require-approval', 'never'],
    ...['--no-notices', '--outputs-file', outputsFile],
  ];
  await run(cdk, args, options);

  const outputs = JSON.parse(await readFile(outputsFile, 'utf8'));
  const { hostname, pathname } = new URL(outputs[stackName(stage)][outputNames.baseAddress]);
  const [apiId] = hostname.split('.');
  return `${emulator.endpoint}/_aws/execute-api/${apiId}${pathname}`;
}

/** Removes what the emulator lacks from a template, with all that names it. */
async function removeLacking(file: string): Promise<void> {
  const { Resources, ...template } = JSON.parse(await readFile(file, 'utf8'));
  type Resource = { Type: string; UpdatePolicy?: unknown };
  const kept = Object.entries<Resource>(Resources)
    .filter(([id, { Type }]) => !lacking.test(Type) && !id.startsWith('Releases'))
    // An alias then moves at once, and waits for no role of a release.
    .map(([id, { UpdatePolicy, ...resource }]) => [
      id,
      Object.assign(resource, UpdatePolicy && { DependsOn: [] }),
    ]);
  await writeFile(file, JSON.stringify({ ...template, Resources: Object.fromEntries(kept) }));
}

/** The CDK prints a line for each of some hundred changes. */
const maxOutputBytes = 16 * 1024 * 1024;

/** Issues an API key as an operator does. */
export async function issueKey({ emulator, stage, signal }: Deployment): Promise<string> {
  const args = ['infra/tools/keys.ts', 'create', '--stage', stage, '--name', 'e2e'];
  const { stdout } = await run(process.execPath, args, { env: emulator.environment, signal });
  const apiKey = /ps_\S+/.exec(stdout)?.[0];
  if (!apiKey) throw new Error('npm run keys printed no API key.');
  return apiKey;
}
