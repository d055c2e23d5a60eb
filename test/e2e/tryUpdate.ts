import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { tables } from '../../lib/tables.ts';
import { findFaults } from '../../tools/checkUpdate.ts';
import { print } from '../../tools/command.ts';
import { durableName } from '../helpers/bareStage.ts';
import { rex } from '../helpers/samplePets.ts';
import {
  type Assembly,
  aws,
  deployStage,
  issueKey,
  resourceIds,
  run,
  synthesise,
  templateFile,
} from './deployStage.ts';
import type { Emulator } from './startEmulator.ts';

const stage = durableName;

/**
 * Deploys production as a commit left it, uses it, and updates it. It throws if anything is lost.
 *
 * `findFaults` has the rules of AWS that the emulator lacks.
 */
export async function tryUpdate(today: Assembly, commit: string): Promise<void> {
  const { emulator } = today;
  if (spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`]).status !== 0) {
    print(
      `\n!!! SKIPPED: the update of ${stage}, because this clone lacks the commit ${commit}.\n`,
    );
    return;
  }
  const before = await synthesise(emulator, await extract(emulator, commit), 'before');
  if (!existsSync(templateFile(before, stage))) {
    print(`\n!!! SKIPPED: the update of ${stage}, because ${commit} has another name for it.\n`);
    return;
  }
  const baseUrl = await deployStage(before, stage);
  const headers = {
    Authorization: `Bearer ${await issueKey(before, stage)}`,
    'Content-Type': 'application/json',
  };
  const addPet = async () => {
    const body = JSON.stringify(rex);
    const response = await fetch(`${baseUrl}/pets`, { method: 'POST', headers, body });
    assert.equal(response.status, 201);
    return response.text();
  };
  const oldPet = await addPet();
  const [old, now] = await Promise.all([before, today].map(readTemplate));
  const { refused } = await findFaults(old, now);
  assert.deepEqual(refused, []);

  await deployStage(today, stage);
  await assertUpdated(today);
  const newPet = await addPet();
  const pets = await fetch(`${baseUrl}/pets`, { headers });
  assert.equal(await pets.text(), `[${oldPet},${newPet}]`);
  print(`Updated ${stage} from ${commit}: its pet and key are still there.`);

  await assertNotReplaced(today);
  const kept = await fetch(`${baseUrl}/pets`, { headers });
  assert.equal(await kept.text(), `[${oldPet},${newPet}]`);
  print('CloudFormation refused to replace the table of the pets, and they are still there.');
}

/** Throws unless CloudFormation refuses to replace a table by an empty one, as a changed key would. */
async function assertNotReplaced({ emulator, sources }: Assembly): Promise<void> {
  const assembly = await synthesise(emulator, sources, 'with-another-key');
  const file = templateFile(assembly, stage);
  const template = await readFile(file, 'utf8');
  const name = RegExp(`"AttributeName": *"${tables.pets.partitionKey.name}"`, 'g');
  await writeFile(file, template.replaceAll(name, '"AttributeName":"key"'));
  await assert.rejects(deployStage(assembly, stage), /custom-named resource requires replacing/);
}

async function readTemplate(assembly: Assembly) {
  return JSON.parse(await readFile(templateFile(assembly, stage), 'utf8'));
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

/** Throws unless each alias points to a version of this release. */
async function assertUpdated({ emulator, release }: Assembly): Promise<void> {
  const aliases = await resourceIds(emulator, stage, 'AWS::Lambda::Alias');
  assert.ok(aliases.length > 0);
  for (const alias of aliases) {
    const command = ['lambda', 'get-function-configuration', '--function-name', alias];
    const query = 'Environment.Variables.RELEASE';
    assert.equal(await aws(emulator, ...command, '--query', query), release, alias);
  }
}
