import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { baseAddressOutput, stackName } from '../../infra/stages.ts';
import { defineCommand, print, runCommand } from '../../infra/tools/command.ts';
import { type Emulator, emulatorLog, startEmulator } from './startEmulator.ts';

const stage = 'v1-staging';

/** A stage of a developer or branch, which is destroyed again. */
const ownStage = 'v1-e2e';

/** A run takes half a minute, longer on a busy machine. */
const runTimeoutMs = 600_000;

/** The CDK prints a line for each of some hundred changes. */
const maxOutputBytes = 16 * 1024 * 1024;

/** The resources that the emulator cannot deploy. */
const lacking = /^AWS::CodeDeploy::/;

const run = promisify(execFile);
const cdk = resolve('node_modules/.bin/cdk');

/** Requests whose responses contain the names of all resources of a kind. */
const listings = {
  stacks: listing('cloudformation', '/?Action=DescribeStacks&Version=2010-05-15'),
  tables: listing('dynamodb', '/', 'DynamoDB_20120810.ListTables'),
  functions: listing('lambda', '/2015-03-31/functions'),
  logs: listing('logs', '/', 'Logs_20140328.DescribeLogGroups'),
  roles: listing('iam', '/?Action=ListRoles&Version=2010-05-08'),
  apis: listing('apigateway', '/restapis'),
};

function listing(service: string, path: string, target?: string) {
  const scope = `test/20260101/us-east-1/${service}/aws4_request`;
  const headers = {
    Authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=none`,
    ...(target && { 'X-Amz-Target': target, 'Content-Type': 'application/x-amz-json-1.1' }),
  };
  return target ? { path, headers, method: 'POST', body: '{}' } : { path, headers };
}

type Deployment = {
  emulator: Emulator;
  /** The folder that the CDK writes to. */
  folder: string;
  signal: AbortSignal;
};

export const deploy = defineCommand(
  'e2e:deploy',
  'deploys the staging stack into an emulator of AWS and runs the smoke test against it, then deploys and destroys a stage of your own',
).action(async () => {
  const program = installMiniStack();
  if (program) process.exitCode = await main(program);
});

/**
 * Installs MiniStack, an emulator of AWS, and returns its path. Without Python or PyPI, it prints that the
 * run is skipped.
 *
 * Only this test shows that the templates deploy, that the bundles load, and that API Gateway routes to
 * the right function. The emulator checks no permissions: `test/infra/roles.test.ts` does.
 */
function installMiniStack(): string | undefined {
  const { status, stdout } = spawnSync(resolve('.ci/installPython'), { encoding: 'utf8' });
  if (status === 0) return join(stdout.trim(), 'ministack');
  print('\n!!! SKIPPED: MiniStack needs Python 3.11 and PyPI.\n');
  return undefined;
}

/** Returns the exit code. */
async function main(program: string): Promise<number> {
  const signal = AbortSignal.timeout(runTimeoutMs);
  const folder = await mkdtemp(join(tmpdir(), 'petstore-e2e-'));
  let emulator: Emulator | undefined;
  try {
    emulator = await startEmulator(program, folder, signal);
    const deployment = { emulator, folder, signal };
    print('Started MiniStack.');
    await bootstrap(deployment);
    const PETSTORE_BASE_URL = await deployStage(deployment, stage);
    const PETSTORE_API_KEY = await issueKey(deployment, stage);
    const variables = { PETSTORE_BASE_URL, PETSTORE_API_KEY };
    const exitCode = await smoke({ ...emulator.environment, ...variables }, signal);
    await tryOwnStage(deployment);
    return exitCode;
  } catch (error) {
    print(explain(error));
    return 1;
  } finally {
    await emulator?.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Bootstraps the account for the CDK, which each AWS account needs once. */
async function bootstrap({ emulator, folder, signal }: Deployment): Promise<void> {
  // Outside the folder of cdk.json, where the CDK would first bundle every function.
  const cwd = join(folder, 'empty');
  await mkdir(cwd);
  const args = ['bootstrap', 'aws://000000000000/us-east-1', '--no-notices'];
  await run(cdk, args, { cwd, env: emulator.environment, signal });
}

/** Deploys the stack of the stage and returns its base address in the emulator. */
async function deployStage(
  { emulator, folder, signal }: Deployment,
  stage: string,
  context: string[] = [],
): Promise<string> {
  const options = { env: emulator.environment, signal, maxBuffer: maxOutputBytes };
  const app = join(folder, stage);
  const args = ['--quiet', '--no-notices', '--no-lookups', '--output', app, ...context];
  await run(cdk, ['synth', ...args], options);
  await removeLacking(join(app, `${stackName(stage)}.template.json`));

  const outputsFile = join(folder, 'outputs.json');
  const deployArgs = [
    ...['deploy', stackName(stage), '--app', app],
    ...['--require-approval', 'never'],
    ...['--no-notices', '--outputs-file', outputsFile],
  ];
  await run(cdk, deployArgs, options);
  print(`Deployed ${stage}.`);

  const outputs = JSON.parse(await readFile(outputsFile, 'utf8'));
  const { hostname, pathname } = new URL(outputs[stackName(stage)][baseAddressOutput]);
  const [apiId] = hostname.split('.');
  return `${emulator.endpoint}/_aws/execute-api/${apiId}${pathname}`;
}

/** Removes what the emulator lacks from a template, and the release hooks with it. */
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

/** Issues an API key as an operator does. */
async function issueKey({ emulator, signal }: Deployment, stage: string): Promise<string> {
  const args = ['infra/tools/keys.ts', 'create', '--stage', stage, '--name', 'e2e'];
  const { stdout } = await run(process.execPath, args, { env: emulator.environment, signal });
  const apiKey = /ps_\S+/.exec(stdout)?.[0];
  if (!apiKey) throw new Error('npm run keys printed no API key.');
  return apiKey;
}

async function smoke(environment: NodeJS.ProcessEnv, signal: AbortSignal): Promise<number> {
  // MiniStack tells a function no domain, so links have none.
  const env = { ...environment, PETSTORE_RELATIVE_LINKS: 'on' };
  const options = { env, signal, stdio: 'inherit' } as const;
  const child = spawn(process.execPath, ['infra/tools/smoke.ts'], options);
  const [exitCode] = await once(child, 'close');
  return exitCode ?? 1;
}

/** Deploys a stage of your own, uses it, destroys it, and throws if something is left of it. */
async function tryOwnStage(deployment: Deployment): Promise<void> {
  const { emulator, folder, signal } = deployment;
  const baseUrl = await deployStage(deployment, ownStage, ['-c', `stage=${ownStage}`]);
  const headers = { Authorization: `Bearer ${await issueKey(deployment, ownStage)}` };
  const { status } = await fetch(`${baseUrl}/pets`, { headers, signal });
  if (status !== 200) throw new Error(`GET /pets of ${ownStage} responds ${status}.`);

  const name = stackName(ownStage);
  const findKinds = async () => {
    const kinds = Object.entries(listings).map(async ([kind, listing]) => {
      const response = await fetch(`${emulator.endpoint}${listing.path}`, { ...listing, signal });
      return (await response.text()).includes(name) ? [kind] : [];
    });
    return (await Promise.all(kinds)).flat();
  };
  const found = await findKinds();
  if (found.length < Object.keys(listings).length) throw new Error(`Found only ${found}.`);
  const args = ['destroy', name, '--app', join(folder, ownStage), '--force', '--no-notices'];
  await run(cdk, args, { env: emulator.environment, signal, maxBuffer: maxOutputBytes });
  const left = await findKinds();
  if (left.length > 0) throw new Error(`The destroyed ${ownStage} left ${left} behind.`);
  print(`Destroyed ${ownStage}: nothing is left.`);
}

/** The outputs of a failed program say why. The error's message repeats them, so only its first line is used. */
function explain(error: unknown): string {
  const { message, stdout = '', stderr = '' } = error as Error & Record<string, string>;
  const [summary] = message.split('\n');
  return `${stdout}${stderr}\n${summary}\nThe output of MiniStack is in ${emulatorLog}.`;
}

if (import.meta.main) await runCommand(deploy);
