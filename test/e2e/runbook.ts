import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { delimiter } from 'node:path';
import { stackName, tablesStackName } from '../../infra/core/stackNames.ts';
import type { Stage } from '../../infra/stageSchema.ts';
import { counterKey, petKey, tableName } from '../../lib/tables.ts';
import { print } from '../../tools/command.ts';
import { type Bash, openBash } from './openBash.ts';
import { authorize, aws, deployEnvironment, liveVersions } from './operate.ts';
import type { Emulator } from './startEmulator.ts';

// Every block of docs/runbook.md, pasted as an operator does. The emulator ignores --revert-drift.

type Incidents = {
  emulator: Emulator;
  stage: Stage;
  /** A time before an update, and the versions of that time. */
  before: { time: Date; versions: string[] };
  petId: string;
  /** Throws if a pet or a key is lost. */
  assertKept(): Promise<void>;
};

type Shells = {
  /** Has nothing but bash and the AWS CLI, like AWS CloudShell. */
  cloudShell: Bash;
  /** Is open in the folder of these sources. */
  project: Bash;
};

/** Brings production back as the runbook says: its code, its id counter, its stacks, a pet and a table. */
export async function followRunbook(incidents: Incidents): Promise<void> {
  const { emulator, stage } = incidents;
  const env = deployEnvironment(emulator, stage);
  const shells = {
    cloudShell: openBash({ cwd: emulator.folder, env: withoutProject(env) }),
    project: openBash({ cwd: '.', env }),
  };
  try {
    await aRelease(shells, incidents);
    await requestsFail(shells, incidents);
    await stopAClient(shells, incidents);
    await restore(shells, incidents);
    await deleteStacks(incidents);
    await theStackIsGone(shells, incidents);
    await aTableIsGone(shells, incidents);
  } finally {
    shells.cloudShell.close();
    shells.project.close();
  }
}

/** Returns an environment that finds the AWS CLI, and no program of these sources. */
function withoutProject({ PATH = '', ...env }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const folders = PATH.split(delimiter).filter((folder) => !folder.endsWith('node_modules/.bin'));
  return { ...env, PATH: folders.join(delimiter) };
}

async function aRelease({ cloudShell }: Shells, { emulator, stage, before }: Incidents) {
  const [moveAliases] = blocksBelow('A release', 1);

  await paste(
    cloudShell,
    moveAliases?.replace('2026-11-20T16:00', before.time.toISOString().slice(0, 19)),
  );
  assert.deepEqual(await liveVersions(emulator, stage), before.versions);
  print('The runbook moved the aliases back.');
}

async function requestsFail({ cloudShell }: Shells, incidents: Incidents): Promise<void> {
  const [highestId, setCounter] = blocksBelow('Requests fail', 2);

  const [id] = /^\d+/.exec(await paste(cloudShell, highestId)) ?? [];
  const newId = String(Number(id) + 1000);
  await paste(cloudShell, setCounter?.replace('…', newId));
  const { Item } = await onPets<{ Item: { lastId: { N: string } } }>(
    incidents,
    'get-item',
    ...['--key', JSON.stringify({ pk: { S: counterKey } })],
  );
  assert.equal(Item.lastId.N, newId);
  print('The runbook set the id counter.');
}

async function stopAClient({ project }: Shells, { emulator, stage }: Incidents): Promise<void> {
  const [showId, revoke] = blocksBelow('Stop a client', 2);
  const { Authorization = '' } = await authorize(emulator, stage);
  const apiKey = Authorization.replace('Bearer ', '');

  const [id = ''] = /^key_\S+/m.exec(await paste(project, `${showId?.trim()} <<< ${apiKey}`)) ?? [];
  const output = await paste(project, revoke?.replace('key_…', id));
  assert.match(output, RegExp(`Revoked ${id}`));
  print('The runbook revoked a key.');
}

async function restore({ cloudShell, project }: Shells, incidents: Incidents): Promise<void> {
  const { petId, assertKept } = incidents;
  const [restoreTable, copyItems] = blocksBelow('Restore', 2);

  const restored = await paste(cloudShell, restoreTable);
  const [copy = ''] = /^\S+-Pets-\S+/m.exec(restored) ?? [];
  const key = JSON.stringify({ pk: { S: petKey(BigInt(petId)) } });
  await onPets(incidents, 'delete-item', '--key', key);
  const copyPets = copyItems?.replace(/(?<=--from )\S+/, copy);
  await paste(project, copyPets);
  await assert.rejects(assertKept);
  await paste(project, copyPets?.replaceAll(' --dry-run', ''));
  await assertKept();
  print('The runbook restored a pet.');
}

/** Deletes both stacks of a stage. The tables stay. */
async function deleteStacks({ emulator, stage }: Incidents): Promise<void> {
  for (const name of [stackName(stage.name), tablesStackName(stage.name)]) {
    const cloudFormation = (...command: string[]) =>
      aws(emulator, stage, 'cloudformation', ...command, '--stack-name', name);
    await cloudFormation('update-termination-protection', '--no-enable-termination-protection');
    await cloudFormation('delete-stack');
    await cloudFormation('wait', 'stack-delete-complete');
  }
}

async function theStackIsGone({ project }: Shells, { assertKept }: Incidents): Promise<void> {
  const [importTables, deploy] = blocksBelow('The stack is gone', 2);

  await paste(project, importTables);
  const output = await paste(project, deploy);
  assert.match(output, /Tests +\d+ passed/);
  await assertKept();
  print('The runbook brought both stacks back, with pets and keys.');
}

async function aTableIsGone({ cloudShell, project }: Shells, incidents: Incidents) {
  const { assertKept } = incidents;
  const [listBackups, restoreBackup, revertDrift] = blocksBelow('A table is gone', 3);

  // AWS makes this backup when it deletes the table.
  await onPets(incidents, 'create-backup', '--backup-name', 'deleted');
  await onPets(incidents, 'update-table', '--no-deletion-protection-enabled');
  await onPets(incidents, 'delete-table');
  await assert.rejects(assertKept);
  const [arn = ''] = /arn:\S+/.exec(await paste(cloudShell, listBackups)) ?? [];
  await paste(cloudShell, restoreBackup?.replace('arn:aws:dynamodb:…', arn));
  await paste(project, revertDrift);
  await assertKept();
  print('The runbook restored a table.');
}

/** Runs a command of DynamoDB on the pets of the stage. */
function onPets<Response>(
  { emulator, stage }: Incidents,
  command: string,
  ...args: string[]
): Promise<Response> {
  const table = ['--table-name', tableName(stage.name, 'pets')];
  return aws(emulator, stage, 'dynamodb', command, ...table, ...args);
}

/** Throws if the last command of a block fails. */
async function paste(shell: Bash, block: string | undefined): Promise<string> {
  const output = await shell.paste(block);
  assert.match(output, /\nexit 0\n$/, `${block}\n${output}`);
  return output;
}

/** Returns the blocks of code below a heading of the runbook. */
function blocksBelow(heading: string, count: number): string[] {
  const [, below = ''] = readFileSync('docs/runbook.md', 'utf8').split(`\n## ${heading}\n`);
  const [section = ''] = below.split('\n## ');
  const blocks = [...section.matchAll(/^ *```sh\n(.*?)^ *```$/gms)].map(([, block = '']) => block);
  assert.equal(blocks.length, count, `${heading} has other blocks.`);
  return blocks;
}
