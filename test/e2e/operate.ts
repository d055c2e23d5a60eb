import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { baseAddressOutput, stackName } from '../../infra/core/stackNames.ts';
import type { Stage } from '../../infra/stageSchema.ts';
import type { Emulator } from './startEmulator.ts';

// What an operator runs, on a stage in the emulator.

export const run = promisify(execFile);

/** Returns an environment that deploys the stages of app.ts to the emulator. */
export function deployEnvironment({ environmentOf }: Emulator, { account }: Stage) {
  return {
    ...environmentOf(account),
    // The CDK's CLI runs this in the place of infra/app.ts.
    CDK_APP: 'node tools/run.cjs test/e2e/app.ts',
    // MiniStack tells a function no domain, so links have none.
    PETSTORE_RELATIVE_LINKS: 'on',
  };
}

/** Runs the CDK's CLI with the stages of app.ts. */
export async function cdk(
  emulator: Emulator,
  stage: Stage,
  command: string,
  ...args: string[]
): Promise<void> {
  const env = deployEnvironment(emulator, stage);
  await run('cdk', [command, ...args, '--no-notices'], { env });
}

/** Runs the AWS CLI, and returns its response, whose shape the command decides. Some have none. */
export async function aws<Response>(
  emulator: Emulator,
  { account }: Stage,
  ...args: string[]
): Promise<Response> {
  const env = emulator.environmentOf(account);
  const { stdout } = await run('aws', [...args, '--output', 'json'], { env });
  return JSON.parse(stdout || 'null');
}

type Resource = { LogicalResourceId: string; PhysicalResourceId: string };

/** Returns the resources of a type in the stack of a stage. */
export function resources(emulator: Emulator, stage: Stage, type: string): Promise<Resource[]> {
  const stack = ['--stack-name', stackName(stage.name)];
  const query = ['--query', `StackResources[?ResourceType=='${type}']`];
  return aws(emulator, stage, 'cloudformation', 'describe-stack-resources', ...stack, ...query);
}

/** Returns the version that each alias of a stage points to. */
export async function liveVersions(emulator: Emulator, stage: Stage): Promise<string[]> {
  const aliases = await resources(emulator, stage, 'AWS::Lambda::Alias');
  assert.ok(aliases.length > 0);
  const command = ['get-function-configuration', '--query', 'Version', '--function-name'];
  return Promise.all(
    aliases.map(({ PhysicalResourceId: alias }) =>
      aws<string>(emulator, stage, 'lambda', ...command, alias),
    ),
  );
}

/** Returns an output of a stage. */
export function output(emulator: Emulator, stage: Stage, name: string): Promise<string> {
  const command = ['describe-stacks', '--stack-name', stackName(stage.name)];
  const query = `Stacks[0].Outputs[?OutputKey=='${name}'].OutputValue | [0]`;
  return aws(emulator, stage, 'cloudformation', ...command, '--query', query);
}

/** Returns the address of a stage in the emulator. */
export function baseAddress(emulator: Emulator, stage: Stage): Promise<string> {
  return output(emulator, stage, baseAddressOutput);
}

/** Runs `npm run keys`, and returns its output. */
async function keys({ environmentOf }: Emulator, { name, account }: Stage, ...args: string[]) {
  const command = ['tools/run.cjs', 'tools/keys.ts', ...args, '--stage', name];
  const { stdout } = await run(process.execPath, command, { env: environmentOf(account) });
  return stdout;
}

/** Issues an API key as an operator does, and returns the headers of a request with it. */
export async function authorize(emulator: Emulator, stage: Stage): Promise<Record<string, string>> {
  const apiKey = /ps_\S+/.exec(await keys(emulator, stage, 'create', '--name', 'e2e'))?.[0];
  assert.ok(apiKey, 'npm run keys printed no API key.');
  return { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' };
}
