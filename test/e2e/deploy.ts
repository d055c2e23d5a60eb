import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { stackName } from '../../infra/stackNames.ts';
import { defineCommand, print, runCommand } from '../../infra/tools/command.ts';
import { productionLike, sandboxName } from './app.ts';
import {
  type Assembly,
  aws,
  bootstrap,
  deployStage,
  destroyStage,
  issueKey,
  resourceIds,
  synthesise,
} from './deployStage.ts';
import { type Emulator, emulatorLog, startEmulator } from './startEmulator.ts';
import { tryUpdate } from './tryUpdate.ts';

// Only this test shows that the templates deploy, that the bundles load, and that API Gateway routes to
// the right function.

export const deploy = defineCommand(
  'e2e:deploy',
  `Deploys into an emulator of AWS: production as a commit left it, which is updated to these sources;
production for the first time; staging; and a sandbox, which is destroyed again.`,
)
  .argument('[commit]', 'the commit that production is updated from', 'HEAD^')
  .action(async (commit) => {
    const { status, stdout } = spawnSync(resolve('.ci/installPython'), { encoding: 'utf8' });
    if (status !== 0) return print('\n!!! SKIPPED: MiniStack needs Python 3.11 and PyPI.\n');
    const folder = await mkdtemp(join(tmpdir(), 'petstore-e2e-'));
    const emulator = await startEmulator(stdout.trim(), folder);
    print(`Started MiniStack. Its output is in ${emulatorLog}.
It checks no permissions, moves aliases at once, gives preflights no headers of an origin,
and accepts updates that AWS refuses.`);
    try {
      await bootstrap(emulator);
      const assembly = await synthesise(emulator, resolve('.'), 'today');
      await tryUpdate(assembly, commit);
      await tryFirstProduction(assembly);
      await smoke(assembly, 'v1-staging', await deployStage(assembly, 'v1-staging'));
      await trySandbox(assembly);
    } finally {
      await emulator.stop();
      await rm(folder, { recursive: true, force: true });
    }
  });

/** Runs the smoke test as an operator does, and throws if it fails. */
async function smoke(
  assembly: Assembly,
  stage: string,
  PETSTORE_BASE_URL: string,
  ...options: string[]
): Promise<void> {
  const env = {
    ...assembly.emulator.environment,
    PETSTORE_BASE_URL,
    PETSTORE_API_KEY: await issueKey(assembly, stage),
    // MiniStack tells a function no domain, so links have none.
    PETSTORE_RELATIVE_LINKS: 'on',
  };
  const args = ['infra/tools/smoke.ts', ...options];
  const { status } = spawnSync(process.execPath, args, { env, stdio: 'inherit' });
  assert.equal(status, 0, `The smoke test of ${stage} failed.`);
}

/** Deploys production as a new account gets it, and tries what only production has. */
async function tryFirstProduction(assembly: Assembly): Promise<void> {
  const { emulator } = assembly;
  const baseUrl = await deployStage(assembly, productionLike);
  const topics = await resourceIds(emulator, productionLike, 'AWS::SNS::Topic');
  const targets: string[] = [];
  for (const rule of await resourceIds(emulator, productionLike, 'AWS::Events::Rule')) {
    const { Targets } = await aws(emulator, 'events', 'list-targets-by-rule', '--rule', rule);
    targets.push(...Targets.map(({ Arn }: { Arn: string }) => Arn));
  }
  const [heartbeat, ...others] = targets.filter((arn) => !topics.includes(arn));
  assert.ok(heartbeat && others.length === 0 && targets.length > 1, `Rules target ${targets}.`);
  await beat(emulator, heartbeat, baseUrl);
  print('The heartbeat beats, and the release notices go to the topic of the alarms.');
  await smoke(assembly, productionLike, baseUrl, '--read-only');
}

/** Runs the heartbeat, which finds the emulator at another address than AWS. */
async function beat(emulator: Emulator, heartbeat: string, BASE_ADDRESS: string): Promise<void> {
  const lambda = (command: string, ...args: string[]) =>
    aws(emulator, 'lambda', command, '--function-name', heartbeat, ...args);
  const environment = JSON.stringify({ Variables: { STAGE: productionLike, BASE_ADDRESS } });
  await lambda('update-function-configuration', '--environment', environment);
  const payload = join(emulator.folder, 'payload');
  const { FunctionError } = await lambda('invoke', payload);
  assert.equal(FunctionError, undefined, await readFile(payload, 'utf8'));
}

/** Commands whose answers name all resources of a kind. */
const listings = [
  ['cloudformation', 'describe-stacks'],
  ['dynamodb', 'list-tables'],
  ['lambda', 'list-functions'],
  ['logs', 'describe-log-groups'],
  ['iam', 'list-roles'],
  ['apigateway', 'get-rest-apis'],
];

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
    const answers = await Promise.all(listings.map((command) => aws(emulator, ...command)));
    return listings.filter((_, index) =>
      JSON.stringify(answers[index]).includes(stackName(sandboxName)),
    );
  };
  assert.deepEqual(await findKinds(), listings);
  await destroyStage(assembly, sandboxName);
  assert.deepEqual(await findKinds(), [], 'Something of the destroyed stage is left.');
  print(`Destroyed ${sandboxName}: nothing is left.`);
}

if (import.meta.main) await runCommand(deploy);
