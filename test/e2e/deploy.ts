import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  CloudFormationClient,
  DescribeStackResourcesCommand,
} from '@aws-sdk/client-cloudformation';
import {
  InvokeCommand,
  LambdaClient,
  UpdateFunctionConfigurationCommand,
} from '@aws-sdk/client-lambda';
import { stackName } from '../../infra/stackNames.ts';
import { defineCommand, print, runCommand } from '../../infra/tools/command.ts';
import { productionLike, sandboxName } from './app.ts';
import {
  type Assembly,
  bootstrap,
  deployStage,
  destroyStage,
  issueKey,
  synthesise,
} from './deployStage.ts';
import { printLacks } from './lacks.ts';
import { type Emulator, emulatorLog, startEmulator } from './startEmulator.ts';
import { tryUpdate } from './tryUpdate.ts';

/** A run takes two minutes, longer on a busy machine. */
const runTimeoutMs = 900_000;

export const deploy = defineCommand(
  'e2e:deploy',
  `Deploys into an emulator of AWS: production as a commit left it, which is updated to these sources;
production for the first time; staging; and a sandbox, which is destroyed again.`,
)
  .argument('[commit]', 'the commit that production is updated from', 'HEAD^')
  .action(async (commit) => {
    const program = installMiniStack();
    if (program) process.exitCode = await main(program, commit);
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
async function main(program: string, commit: string): Promise<number> {
  const signal = AbortSignal.timeout(runTimeoutMs);
  const folder = await mkdtemp(join(tmpdir(), 'petstore-e2e-'));
  let emulator: Emulator | undefined;
  try {
    emulator = await startEmulator(program, folder, signal);
    print('Started MiniStack.');
    await printLacks(emulator);
    await bootstrap(emulator);
    const assembly = await synthesise(emulator, resolve('.'), 'today');
    await tryUpdate(assembly, commit);
    await tryFirstProduction(assembly);
    await smoke(assembly, 'v1-staging', await deployStage(assembly, 'v1-staging'));
    await trySandbox(assembly);
    return 0;
  } catch (error) {
    print(explain(error));
    return 1;
  } finally {
    await emulator?.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs the smoke test as an operator does, and throws if it fails. */
async function smoke(
  assembly: Assembly,
  stage: string,
  PETSTORE_BASE_URL: string,
  ...options: string[]
): Promise<void> {
  const { environment, signal } = assembly.emulator;
  const env = {
    ...environment,
    PETSTORE_BASE_URL,
    PETSTORE_API_KEY: await issueKey(assembly, stage),
    // MiniStack tells a function no domain, so links have none.
    PETSTORE_RELATIVE_LINKS: 'on',
  };
  const args = ['infra/tools/smoke.ts', ...options];
  const child = spawn(process.execPath, args, { env, signal, stdio: 'inherit' });
  const [exitCode] = await once(child, 'close');
  if (exitCode !== 0) throw new Error(`The smoke test of ${stage} failed.`);
}

/** Deploys production as a new account gets it, and tries what only production has. */
async function tryFirstProduction(assembly: Assembly): Promise<void> {
  const { emulator } = assembly;
  const baseUrl = await deployStage(assembly, productionLike);
  const { StackResources = [] } = await new CloudFormationClient(emulator.client).send(
    new DescribeStackResourcesCommand({ StackName: stackName(productionLike) }),
  );
  const idsOf = (type: string) =>
    StackResources.flatMap(({ ResourceType, PhysicalResourceId = '' }) =>
      ResourceType === type ? [PhysicalResourceId] : [],
    );
  const targets: string[] = [];
  for (const rule of idsOf('AWS::Events::Rule')) {
    const request = listing('events', '/', 'AWSEvents.ListTargetsByRule', { Rule: rule });
    const { Targets } = JSON.parse(await ask(emulator, request));
    targets.push(...Targets.map(({ Arn }: { Arn: string }) => Arn));
  }
  const topics = idsOf('AWS::SNS::Topic');
  const [heartbeat, ...others] = targets.filter((arn) => !topics.includes(arn));
  assert.ok(heartbeat && others.length === 0 && targets.length > 1, `Rules target ${targets}.`);
  await beat(emulator, heartbeat, baseUrl);
  print('The heartbeat beats, and the release notices go to the topic of the alarms.');
  await smoke(assembly, productionLike, baseUrl, '--read-only');
}

/** Runs the heartbeat, which finds the emulator at another address than AWS. */
async function beat({ client }: Emulator, FunctionName: string, baseUrl: string): Promise<void> {
  const lambda = new LambdaClient(client);
  const Variables = { STAGE: productionLike, BASE_ADDRESS: baseUrl };
  await lambda.send(
    new UpdateFunctionConfigurationCommand({ FunctionName, Environment: { Variables } }),
  );
  const { FunctionError, Payload } = await lambda.send(new InvokeCommand({ FunctionName }));
  assert.equal(FunctionError, undefined, Payload?.transformToString());
}

/** Requests whose responses contain the names of all resources of a kind. */
const listings = {
  stacks: listing('cloudformation', '/?Action=DescribeStacks&Version=2010-05-15'),
  tables: listing('dynamodb', '/', 'DynamoDB_20120810.ListTables'),
  functions: listing('lambda', '/2015-03-31/functions'),
  logs: listing('logs', '/', 'Logs_20140328.DescribeLogGroups'),
  roles: listing('iam', '/?Action=ListRoles&Version=2010-05-08'),
  apis: listing('apigateway', '/restapis'),
};

function listing(service: string, path: string, target?: string, body = {}) {
  const scope = `test/20260101/us-east-1/${service}/aws4_request`;
  const headers = {
    Authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=none`,
    ...(target && { 'X-Amz-Target': target, 'Content-Type': 'application/x-amz-json-1.1' }),
  };
  return target ? { path, headers, method: 'POST', body: JSON.stringify(body) } : { path, headers };
}

async function ask({ endpoint, signal }: Emulator, { path, ...init }: ReturnType<typeof listing>) {
  const response = await fetch(`${endpoint}${path}`, { ...init, signal });
  return response.text();
}

/** Deploys a sandbox, uses it, destroys it, and throws if something is left of it. */
async function trySandbox(assembly: Assembly): Promise<void> {
  const { emulator } = assembly;
  const baseUrl = await deployStage(assembly, sandboxName);
  const headers = { Authorization: `Bearer ${await issueKey(assembly, sandboxName)}` };
  const { status } = await fetch(`${baseUrl}/pets`, { headers });
  assert.equal(status, 200);
  // MiniStack responds to a preflight with the status only.
  const preflight = await fetch(`${baseUrl}/pets`, { method: 'OPTIONS' });
  assert.equal(preflight.status, 204);

  const findKinds = async () => {
    const kinds = Object.entries(listings).map(async ([kind, request]) =>
      (await ask(emulator, request)).includes(stackName(sandboxName)) ? [kind] : [],
    );
    return (await Promise.all(kinds)).flat();
  };
  assert.deepEqual(await findKinds(), Object.keys(listings));
  await destroyStage(assembly, sandboxName);
  assert.deepEqual(await findKinds(), [], 'Something of the destroyed stage is left.');
  print(`Destroyed ${sandboxName}: nothing is left.`);
}

/** The outputs of a failed program say why. The error's message repeats them after its first line. */
function explain(error: unknown): string {
  const { message, stdout = '', stderr = '' } = error as Error & Record<string, string>;
  const summary = stdout || stderr ? message.split('\n')[0] : message;
  return `${stdout}${stderr}\n${summary}\nThe output of MiniStack is in ${emulatorLog}.`;
}

if (import.meta.main) await runCommand(deploy);
