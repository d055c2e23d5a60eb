import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { stackName } from '../../infra/core/stackNames.ts';
import { Heartbeat } from '../../infra/parts/monitoring/Heartbeat.ts';
import { defineCommand, print, runCommand } from '../../tools/command.ts';
import { otherName } from '../helpers/bareStage.ts';
import { rex } from '../helpers/samplePets.ts';
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
      await smoke(assembly, otherName, await deployStage(assembly, otherName));
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
  baseUrl: string,
  ...options: string[]
): Promise<void> {
  const env = {
    ...assembly.emulator.environment,
    PETSTORE_API_KEY: await issueKey(assembly, stage),
    // MiniStack tells a function no domain, so links have none.
    PETSTORE_RELATIVE_LINKS: 'on',
  };
  const args = ['tools/smoke.ts', '--base-url', baseUrl, ...options];
  const { status } = spawnSync(process.execPath, args, { env, stdio: 'inherit' });
  assert.equal(status, 0, `The smoke test of ${stage} failed.`);
}

/** Deploys production as a new account gets it, and tries what only production has. */
async function tryFirstProduction(assembly: Assembly): Promise<void> {
  const { emulator } = assembly;
  const baseUrl = await deployStage(assembly, productionLike);
  const functions = await resourceIds(emulator, productionLike, 'AWS::Lambda::Function');
  const heartbeat = functions.find((name) => name.includes(`${Heartbeat.name}Function`));
  assert.ok(heartbeat, `One of the functions must be the heartbeat: ${functions}.`);
  await beat(emulator, heartbeat, baseUrl);
  print('The heartbeat beats.');
  await smoke(assembly, productionLike, baseUrl, '--read-only');
  await tryLostStack(assembly, baseUrl);
}

/** Deletes the stack, and brings it back with the tables that it left, as docs/runbook.md says. */
async function tryLostStack(assembly: Assembly, baseUrl: string): Promise<void> {
  const headers = {
    Authorization: `Bearer ${await issueKey(assembly, productionLike)}`,
    'Content-Type': 'application/json',
  };
  const body = JSON.stringify(rex);
  const added = await fetch(`${baseUrl}/pets`, { method: 'POST', headers, body });
  assert.equal(added.status, 201);
  const stack = ['--stack-name', stackName(productionLike)];
  const unprotect = ['update-termination-protection', '--no-enable-termination-protection'];
  await aws(assembly.emulator, 'cloudformation', ...unprotect, ...stack);
  await destroyStage(assembly, productionLike);

  const newUrl = await deployStage(assembly, productionLike, '--import-existing-resources');

  const pets = await fetch(`${newUrl}/pets`, { headers });
  assert.equal(await pets.text(), `[${await added.text()}]`);
  print(`${productionLike} is back, with its pet and key.`);
}

/** Runs the heartbeat with the base address of the emulator, because the template has that of AWS. */
async function beat(emulator: Emulator, heartbeat: string, BASE_ADDRESS: string): Promise<void> {
  const lambda = (command: string, ...args: string[]) =>
    aws<{ FunctionError?: string }>(
      emulator,
      ...['lambda', command, '--function-name', heartbeat, ...args],
    );
  const environment = JSON.stringify({ Variables: { STAGE: productionLike, BASE_ADDRESS } });
  await lambda('update-function-configuration', '--environment', environment);
  const payload = join(emulator.folder, 'payload');
  const { FunctionError } = await lambda('invoke', payload);
  assert.equal(FunctionError, undefined, await readFile(payload, 'utf8'));
}

async function trySandbox(assembly: Assembly): Promise<void> {
  const baseUrl = await deployStage(assembly, sandboxName);
  const headers = { Authorization: `Bearer ${await issueKey(assembly, sandboxName)}` };
  const { status } = await fetch(`${baseUrl}/pets`, { headers });
  assert.equal(status, 200);
  // MiniStack responds to a preflight with the status only.
  const preflight = await fetch(`${baseUrl}/pets`, { method: 'OPTIONS' });
  assert.equal(preflight.status, 204);

  await destroyStage(assembly, sandboxName);
  print(`Destroyed ${sandboxName}.`);
}

if (import.meta.main) await runCommand(deploy);
