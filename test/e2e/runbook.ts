import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { stackName, tablesStackName } from '../../infra/core/stackNames.ts';
import type { Stage } from '../../infra/stageSchema.ts';
import { tableName } from '../../lib/tables.ts';
import { print } from '../../tools/command.ts';
import { type Bash, openBash } from './openBash.ts';
import { aws, deployEnvironment, liveVersions } from './operate.ts';
import type { Emulator } from './startEmulator.ts';

// The blocks of docs/runbook.md that the emulator serves, pasted in their order. It filters no log lines, has no
// firewall, and ignores --revert-drift. A stack is never in the states that two of the blocks are for.

type Incidents = {
  emulator: Emulator;
  stage: Stage;
  /** A time before an update, and the versions of that time. */
  before: { time: Date; versions: string[] };
  petId: string;
  /** Throws if a pet or a key is lost. */
  assertKept(): Promise<void>;
};

/** Brings production back as the runbook says: its code, its stacks, a pet and a table. */
export async function followRunbook(incidents: Incidents): Promise<void> {
  await withShell(incidents, (shell) => aRelease(shell, incidents));
  await deleteStacks(incidents);
  await withShell(incidents, (shell) => theStackIsGone(shell, incidents));
  await withShell(incidents, (shell) => restore(shell, incidents));
  await withShell(incidents, (shell) => aTableIsGone(shell, incidents));
}

async function aRelease(shell: Bash, { emulator, stage, before }: Incidents): Promise<void> {
  const [state, cancel, rollBack, events, goOn] = blocksBelow('A release', 5);

  assert.match(await shell.paste(state), /^(CREATE|UPDATE)_COMPLETE/);
  // The state is the only reason to refuse them.
  const refusal = /cannot be called from current stack status/;
  assert.match(await shell.paste(cancel), refusal);
  await paste(shell, rollBack?.replace('2026-11-20T16:00', before.time.toISOString().slice(0, 19)));
  assert.deepEqual(await liveVersions(emulator, stage), before.versions);
  await paste(shell, events);
  assert.match(await shell.paste(goOn), refusal);
  print('The runbook moved the aliases back.');
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

async function theStackIsGone(shell: Bash, { assertKept }: Incidents): Promise<void> {
  const [importTables, deploy] = blocksBelow('The stack is gone', 2);

  await paste(shell, importTables);
  const output = await paste(shell, deploy);
  assert.match(output, /Tests +\d+ passed/);
  await assertKept();
  print('The runbook brought both stacks back, with pets and keys.');
}

async function restore(shell: Bash, { petId, assertKept }: Incidents): Promise<void> {
  const blocks = blocksBelow('Restore', 5).map((block) => block.replace('PET#17', `PET#${petId}`));
  const [restoreTable, lookAtPet, deletePet, copyItems, deleteTable] = blocks;

  await paste(shell, restoreTable);
  await paste(shell, lookAtPet);
  await paste(shell, deletePet);
  await paste(shell, copyItems);
  await assert.rejects(assertKept);
  await paste(shell, copyItems?.replaceAll(' --dry-run', ''));
  await paste(shell, deleteTable);
  await assertKept();
  print('The runbook restored a pet.');
}

async function aTableIsGone(shell: Bash, { emulator, stage, assertKept }: Incidents) {
  const [listBackups, restoreBackup, revertDrift] = blocksBelow('A table is gone', 3);
  const dynamoDb = (...command: string[]) =>
    aws(emulator, stage, 'dynamodb', ...command, '--table-name', tableName(stage.name, 'pets'));

  // AWS makes this backup when it deletes the table.
  await dynamoDb('create-backup', '--backup-name', 'deleted');
  await dynamoDb('update-table', '--no-deletion-protection-enabled');
  await dynamoDb('delete-table');
  await assert.rejects(assertKept);
  const [arn = ''] = /arn:\S+/.exec(await paste(shell, listBackups)) ?? [];
  await paste(shell, restoreBackup?.replace('arn:aws:dynamodb:…', arn));
  await paste(shell, revertDrift);
  await assertKept();
  print('The runbook restored a table.');
}

/** Opens a bash with the shell of the runbook. */
async function withShell(
  { emulator, stage }: Incidents,
  use: (shell: Bash) => Promise<void>,
): Promise<void> {
  const [source] = blocksBelow('The shell', 1);
  const shell = openBash(deployEnvironment(emulator, stage));
  await shell.paste(source);
  await use(shell).finally(shell.close);
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
