import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { outputNames, stackName } from '../../infra/stages.ts';
import type { Emulator } from './startEmulator.ts';

type Deployment = {
  emulator: Emulator;
  stage: string;
  /** What of the stack is left out. */
  without: readonly string[];
  /** Where the CDK may write. */
  folder: string;
  signal: AbortSignal;
};

const run = promisify(execFile);
const cdk = resolve('node_modules/.bin/cdk');

/** Where the CDK keeps what it deploys, in the account and Region of the emulator. */
const account = 'aws://000000000000/us-east-1';

/** Makes the account ready for the CDK, as is done once for each account of AWS. */
export async function bootstrap({ emulator, folder, signal }: Deployment): Promise<void> {
  // Away from cdk.json: in its folder the CDK would bundle every function first, for nothing.
  const cwd = join(folder, 'empty');
  await mkdir(cwd);
  await run(cdk, ['bootstrap', account, '--no-notices'], {
    cwd,
    env: emulator.environment,
    signal,
  });
}

/** Deploys the stack of a stage and returns the base address that it has in the emulator. */
export async function deployStage(deployment: Deployment): Promise<string> {
  const { emulator, stage, without, folder, signal } = deployment;
  const outputsFile = join(folder, 'outputs.json');
  const args = [
    // Exclusively: or the functions of the other stage would be bundled too.
    ...['deploy', stackName(stage), '--exclusively'],
    ...['--require-approval', 'never'],
    ...['--no-notices', '--no-lookups'],
    ...['--output', join(folder, 'cdk.out')],
    ...['--outputs-file', outputsFile],
    ...(without.length > 0 ? ['--context', `without=${without.join(',')}`] : []),
  ];
  await run(cdk, args, { env: emulator.environment, signal, maxBuffer: maxOutputBytes });

  const outputs = JSON.parse(await readFile(outputsFile, 'utf8'));
  const { hostname, pathname } = new URL(outputs[stackName(stage)][outputNames.baseAddress]);
  const [apiId] = hostname.split('.');
  return `${emulator.endpoint}/_aws/execute-api/${apiId}${pathname}`;
}

/** A line for each change of a resource, of which there are some hundred. */
const maxOutputBytes = 16 * 1024 * 1024;

/** Issues an API key as an operator does. */
export async function issueKey({ emulator, stage, signal }: Deployment): Promise<string> {
  const args = ['infra/tools/keys.ts', 'create', '--stage', stage, '--name', 'e2e'];
  const { stdout } = await run(process.execPath, args, { env: emulator.environment, signal });
  const apiKey = /ps_\S+/.exec(stdout)?.[0];
  if (!apiKey) throw new Error('npm run keys printed no API key.');
  return apiKey;
}
