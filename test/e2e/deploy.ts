import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  heartbeatAlarmOutput,
  releaseAlarmOutput,
  stackName,
  tablesStackName,
} from '../../infra/core/stackNames.ts';
import { Heartbeat } from '../../infra/parts/monitoring/Heartbeat.ts';
import type { Stage } from '../../infra/stageSchema.ts';
import { settingsOf } from '../../infra/stages.ts';
import { defineCommand, print } from '../../tools/command.ts';
import { durableName, otherName } from '../helpers/bareStage.ts';
import { rex } from '../helpers/samplePets.ts';
import { sandbox } from './app.ts';
import {
  authorize,
  aws,
  baseAddress,
  cdk,
  deployEnvironment,
  liveVersions,
  output,
  resources,
  run,
} from './operate.ts';
import { followRunbook } from './runbook.ts';
import { type Emulator, emulatorLog, startEmulator } from './startEmulator.ts';

// Only this test shows that the templates deploy, that the bundles load, that API Gateway routes to the right
// function, and that `npm run deploy` works.

const production = settingsOf(durableName);
const staging = settingsOf(otherName);

export const deploy = defineCommand(
  'e2e:deploy',
  `Deploys into an emulator of AWS with npm run deploy: production as a commit left it, which is updated to
these sources, and brought back as docs/runbook.md says; staging; and a sandbox, which is destroyed again.`,
)
  .argument('[commit]', 'the commit that production is updated from', 'HEAD^')
  .action(async (commit) => {
    const { status, stdout } = spawnSync(resolve('.ci/installPython'), { encoding: 'utf8' });
    if (status !== 0) {
      execFileSync(resolve('.ci/skip'), ['MiniStack needs Python 3.11 and PyPI.'], {
        stdio: 'inherit',
      });
      return;
    }
    const folder = await mkdtemp(join(tmpdir(), 'petstore-e2e-'));
    const emulator = await startEmulator(stdout.trim(), folder);
    print(`Started MiniStack. Its output is in ${emulatorLog}.
It checks no permissions, watches no alarm of a release, gives preflights no headers of an origin,
and accepts updates that AWS refuses.`);
    try {
      await bootstrap(emulator);
      await tryUpdate(emulator, commit);
      await tryHeartbeat(emulator);
      await deployStage(emulator, staging);
      await tryFaults(emulator);
      await trySandbox(emulator);
    } finally {
      await emulator.stop();
      await rm(folder, { recursive: true, force: true });
    }
  });

/** Bootstraps each account and Region for the CDK, which AWS needs once. */
async function bootstrap(emulator: Emulator): Promise<void> {
  // Outside the folder of cdk.json, where the CDK would first bundle every function.
  const cwd = join(emulator.folder, 'empty');
  await mkdir(cwd);
  for (const { account } of [production, staging]) {
    const env = emulator.environmentOf(account);
    const target = `aws://${env.AWS_ACCESS_KEY_ID}/${env.AWS_REGION}`;
    await run('cdk', ['bootstrap', target, '--no-notices'], { env, cwd });
  }
}

async function runDeploy(emulator: Emulator, stage: Stage, sources = '.', moreEnvironment = {}) {
  const env = { ...deployEnvironment(emulator, stage), ...moreEnvironment };
  const child = spawn(process.execPath, ['tools/run.cjs', 'tools/deploy.ts', stage.name], {
    env,
    cwd: sources,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      output += text;
    });
  }
  const [exitCode] = await once(child, 'close');
  return { exitCode, output };
}

/** Deploys a stage as an operator does, with its smoke test. Throws if that fails, and returns the output. */
async function deployStage(emulator: Emulator, stage: Stage, sources?: string): Promise<string> {
  const { exitCode, output } = await runDeploy(emulator, stage, sources);
  assert.equal(exitCode, 0, output);
  assert.match(output, /Tests +\d+ passed/);
  print(`Deployed ${stage.name}.`);
  return output;
}

/**
 * Deploys production as a commit left it, uses it, and updates it. Then it follows the runbook. Throws if anything is
 * lost.
 */
async function tryUpdate(emulator: Emulator, commit: string): Promise<void> {
  const hasCommit = spawnSync('git', ['cat-file', '-e', `${commit}:tools/run.cjs`]);
  if (hasCommit.status === 0) {
    await deployStage(emulator, production, await extract(emulator, commit));
  } else {
    print(`\n!!! SKIPPED: the update of production, because ${commit} is not here or too old.\n`);
    await deployStage(emulator, production);
  }
  const headers = await authorize(emulator, production);
  const pets = [await addPet(emulator, headers)];
  const assertKept = async () => {
    const response = await fetch(`${await baseAddress(emulator, production)}/pets`, { headers });
    assert.equal(await response.text(), `[${pets}]`);
  };

  await addReleaseAlarms(emulator);
  const before = { time: new Date(), versions: await liveVersions(emulator, production) };
  assert.match(await deployStage(emulator, production), /CloudFormation monitors \S+ and \S+\./);
  await assertUpdated(emulator);
  pets.push(await addPet(emulator, headers));
  await assertKept();
  print('The update kept the pet and the key.');

  const petId = String(pets[0]?.match(/(?<="id":)\d+/));
  await followRunbook({ emulator, stage: production, before, petId, assertKept });
}

/** Adds alarms in the place of those that MiniStack cannot deploy, so that the update has them. */
async function addReleaseAlarms(emulator: Emulator): Promise<void> {
  const metric = '--namespace e2e --metric-name any --statistic Sum --period 60';
  const limit = '--comparison-operator LessThanThreshold --threshold 0 --evaluation-periods 1';
  for (const name of [releaseAlarmOutput, heartbeatAlarmOutput]) {
    const arn = await output(emulator, production, name);
    const options = ['--alarm-name', arn.replace(/.*:/, ''), ...`${metric} ${limit}`.split(' ')];
    await aws(emulator, production, 'cloudwatch', 'put-metric-alarm', ...options);
  }
}

/** Returns the folder with the sources of a commit. */
async function extract({ folder }: Emulator, commit: string): Promise<string> {
  const sources = join(folder, 'sources');
  await mkdir(sources);
  await run('sh', ['-c', 'git archive "$0" | tar -x -C "$1"', commit, sources]);
  const [before, today] = await Promise.all(
    [sources, '.'].map((each) => readFile(join(each, 'package-lock.json'), 'utf8')),
  );
  if (before === today) await symlink(resolve('node_modules'), join(sources, 'node_modules'));
  else await run('npm', ['ci', '--ignore-scripts', '--no-audit'], { cwd: sources });
  return sources;
}

/** Throws unless each alias points to the version with this bundle. */
async function assertUpdated(emulator: Emulator): Promise<void> {
  const { stdout } = await run(process.execPath, ['tools/run.cjs', 'tools/bundle.ts']);
  const releases = new Map(
    [...stdout.matchAll(/^(\w+): (\w{12}),/gm)].map(([, ...row]) => row as [string, string]),
  );
  const functions = await resources(emulator, production, 'AWS::Lambda::Alias');
  assert.ok(functions.length > 0);
  for (const { LogicalResourceId, PhysicalResourceId } of functions) {
    const command = ['lambda', 'get-function-configuration', '--function-name', PhysicalResourceId];
    const query = ['--query', '[Description, Environment.Variables.RELEASE]'];
    const [name, release] = await aws<string[]>(emulator, production, ...command, ...query);
    assert.equal(release, releases.get(String(name)), LogicalResourceId);
  }
}

/** Runs the heartbeat with the base address of the emulator, because the template has that of AWS. */
async function tryHeartbeat(emulator: Emulator): Promise<void> {
  const functions = await resources(emulator, production, 'AWS::Lambda::Function');
  const heartbeat = functions.find(({ LogicalResourceId: id }) => id.includes(Heartbeat.name));
  assert.ok(heartbeat, 'One of the functions must be the heartbeat.');
  const lambda = (command: string, ...args: string[]) =>
    aws<{ FunctionError?: string }>(
      emulator,
      production,
      'lambda',
      command,
      '--function-name',
      heartbeat.PhysicalResourceId,
      ...args,
    );
  const BASE_ADDRESS = await baseAddress(emulator, production);
  const environment = JSON.stringify({ Variables: { STAGE: production.name, BASE_ADDRESS } });
  await lambda('update-function-configuration', '--environment', environment);
  const payload = join(emulator.folder, 'payload');
  const { FunctionError } = await lambda('invoke', payload);
  assert.equal(FunctionError, undefined, await readFile(payload, 'utf8'));
  print('The heartbeat beats.');
}

/**
 * Throws unless the command fails, and deploys nothing further, if CloudFormation refuses to replace a table by an
 * empty one, or if the synthesis fails.
 */
async function tryFaults(emulator: Emulator): Promise<void> {
  for (const [fault, message] of [
    [{ PARTITION_KEY: 'another' }, 'custom-named resource requires replacing'],
    [{ CDK_APP: 'node --eval "process.exit(1)"' }, 'cdk synth failed'],
  ] as const) {
    const { exitCode, output } = await runDeploy(emulator, staging, '.', fault);
    assert.equal(exitCode, 1, output);
    assert.ok(output.includes(message), output);
    assert.doesNotMatch(output, RegExp(`Tests|${stackName(staging.name)}: deploying`));
  }
  print('A table that would be replaced and a failed synthesis stop a deployment.');
}

async function trySandbox(emulator: Emulator): Promise<void> {
  const stacks = [stackName(sandbox.name), tablesStackName(sandbox.name)];
  await cdk(emulator, sandbox, 'deploy', ...stacks, '--require-approval', 'never');
  const address = await baseAddress(emulator, sandbox);
  const { status } = await fetch(`${address}/pets`, {
    headers: await authorize(emulator, sandbox),
  });
  assert.equal(status, 200);
  // MiniStack responds to a preflight with the status only.
  const preflight = await fetch(`${address}/pets`, { method: 'OPTIONS' });
  assert.equal(preflight.status, 204);

  await cdk(emulator, sandbox, 'destroy', ...stacks, '--force');
  print(`Deployed and destroyed ${sandbox.name}.`);
}

/** Adds a pet to production, and returns its JSON. */
async function addPet(emulator: Emulator, headers: Record<string, string>): Promise<string> {
  const address = `${await baseAddress(emulator, production)}/pets`;
  const response = await fetch(address, { method: 'POST', headers, body: JSON.stringify(rex) });
  assert.equal(response.status, 201);
  return response.text();
}
