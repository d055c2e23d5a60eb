import { DeleteItemCommand, DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { handler as getPet } from '../../functions/getPet.ts';
import { samplePet } from '../../infra/local/samplePet.ts';
import { copyTable } from '../../infra/tools/restore/restoreTable.ts';
import { restore } from '../../infra/tools/restore.ts';
import { call } from '../helpers/api.ts';
import { deleteItem, emptyStore, storeItem } from '../helpers/database.ts';
import { runScript, temporaryFolder } from '../helpers/npmScript.ts';
import { create, live as liveTable } from '../helpers/petTables.ts';
import { restoringAws } from '../helpers/restoringAws.ts';
import { runCommandHere } from '../helpers/runCommandHere.ts';

// With its own endpoint, because the tests change the environment.
const client = new DynamoDBClient({ endpoint: inject('dynamoDbEndpoint') });
const live = { ...liveTable, client };

const get = (id: number) => call(getPet, { petId: String(id) });

async function tableNames(): Promise<string[]> {
  const { TableNames = [] } = await client.send(new ListTablesCommand());
  return TableNames;
}

/** Fakes a staging stage in which `meanwhile` happens after a restore. */
async function stagingStage(meanwhile: (restoredTable: string) => Promise<unknown>) {
  const { environment, restores } = await restoringAws(async (tableName) => {
    await copyTable(live, tableName);
    await meanwhile(tableName);
  });
  const run = (command: string, ...args: string[]) =>
    runCommandHere(restore, [command, '--stage', 'v1-staging', ...args], environment);
  return { run, restores };
}

beforeEach(emptyStore);

describe('npm run restore-drill', () => {
  it('restores, compares, raises the counter and deletes its table', async () => {
    await create('Rex');
    await create('Mia');
    const { run, restores } = await stagingStage(() => create('Tom'));

    const { exitCode, stdout, stderr } = await run('drill');

    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    expect(restores).toEqual([
      {
        SourceTableName: live.tableName,
        TargetTableName: expect.stringMatching(/-drill-\d{8}T\d{6}Z$/),
        RestoreDateTime: expect.any(Number),
        GlobalSecondaryIndexOverride: [],
      },
    ]);
    const drillTable = restores[0]?.TargetTableName ?? '';
    const moment = new Date(Number(restores[0]?.RestoreDateTime) * 1000).toISOString();
    expect(stdout).toBe(`Waiting until ${live.tableName} can be restored to ${moment}.
Restoring it to ${drillTable}.
Compared 2 restored pets with 3 live ones:
  equal                       2
  missing in the live table   0
  different in the live table 0
  created since               1
  not restored                0
The restored counter was at 2 and was raised to 3: the next pet there would be 4.
Deleted ${drillTable}.
`);
    // DynamoDB lists a table until its deletion is complete.
    await vi.waitUntil(async () => !(await tableNames()).includes(drillTable), {
      timeout: 10_000,
    });
  });

  it('keeps its table with --keep', async () => {
    const { run, restores } = await stagingStage(async () => {});

    const { exitCode, stdout } = await run('drill', '--keep');

    expect(exitCode).toBe(0);
    expect(stdout).toContain(`Kept ${restores[0]?.TargetTableName}`);
    expect(await tableNames()).toContain(restores[0]?.TargetTableName);
  });

  it('fails and keeps its table if pets were lost or damaged, and copy-back repairs them', async () => {
    await create('Rex', '9223372036854775807');
    for (const name of ['Mia', 'Ada']) await create(name);
    const before = await Promise.all([1, 2].map(get));
    const { run, restores } = await stagingStage(async () => {
      await create('Tom');
      await deleteItem('PET#1');
      await storeItem({ pk: 'PET#2', id: 2n });
      await storeItem({ pk: 'COUNTER', lastId: 0n });
    });

    const drill = await run('drill');
    const drillTable = restores[0]?.TargetTableName ?? '';
    const copy = await run('copy-back', '--table', drillTable);
    const compare = await run('compare', '--table', drillTable);
    const replace = await run('copy-back', '--table', drillTable, '--replace');

    expect(drill.exitCode).toBe(1);
    expect(drill.stdout).toContain('  missing in the live table   1: 1\n');
    expect(drill.stdout).toContain('  different in the live table 1: 2\n');
    expect(drill.stdout).toContain(`Kept ${drillTable}`);
    // Pet 2 still differs.
    expect(copy).toMatchObject({ exitCode: 1, stderr: '' });
    expect(copy.stdout).toContain('  only in the live table      1: 4\n');
    expect(copy.stdout).toContain('The counter is at 4.\nCopied 1 back.\n');
    expect(compare).toMatchObject({ exitCode: 1, stderr: '' });
    expect(compare.stdout).toContain('  different in the live table 1: 2\n');
    expect(replace).toMatchObject({ exitCode: 0, stderr: '' });
    expect(replace.stdout).toContain('Copied 1 back.');
    expect((await run('compare', '--table', drillTable)).exitCode).toBe(0);
    expect([drill, copy, compare, replace].map(({ stdout }) => stdout).join()).not.toMatch(
      /Rex|Mia|Ada|Tom/,
    );
    const after = await Promise.all([1, 2].map(get));
    expect(after.map(({ text }) => text)).toEqual(before.map(({ text }) => text));
    expect(await create('Bo')).toBe(5);
  });

  it('fails if the restore lacks a pet that existed before', async () => {
    await create('Rex');
    await create('Mia');
    const { run } = await stagingStage(async (TableName) => {
      await client.send(new DeleteItemCommand({ TableName, Key: { pk: { S: 'PET#2' } } }));
      // With an id that an instance took from the counter before the restore.
      await storeItem({ ...samplePet(3n), pk: 'PET#3' });
      await storeItem({ pk: 'COUNTER', lastId: 10n });
    });

    const { exitCode, stdout } = await run('drill');

    expect(exitCode).toBe(1);
    expect(stdout).toContain('  not restored                1: 2\n');
    expect(stdout).toContain('  created since               1\n');
    expect(stdout).toContain('was raised to 10: the next pet there would be 11.');
  });

  it('practises on a copy in the local stage', async () => {
    const args = ['drill', '--stage', 'local', '--data', await temporaryFolder()];

    const { exitCode, stdout, stderr } = await runScript('restore', args);

    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    expect(stdout).toContain('a local engine cannot restore');
    expect(stdout).toContain('Deleted PetStore-local-pets-drill-');
  });
});

describe('npm run restore', () => {
  it('restores to a moment and prints the name of the new table', async () => {
    const { run, restores } = await stagingStage(async () => {});

    const { exitCode, stdout } = await run('to-point', '--at', '2026-11-20T16:00:00Z');

    expect(restores).toHaveLength(1);
    expect(exitCode).toBe(0);
    expect(restores[0]?.RestoreDateTime).toBe(Date.parse('2026-11-20T16:00:00Z') / 1000);
    expect(stdout).toContain(`to ${restores[0]?.TargetTableName}.`);
    expect(await tableNames()).toContain(restores[0]?.TargetTableName);
  });

  it('raises the counter of the live or of a restored table, by either name', async () => {
    await create('Rex');
    const { run, restores } = await stagingStage(() => create('Mia'));
    await run('to-point', '--at', '2026-11-20T16:00:00Z');
    const restored = restores[0]?.TargetTableName ?? '';

    const ofRestored = await run('raise-counter', '--table', restored);
    const ofLive = await run('lift-counter', '--above', '9007199254740993');

    expect(ofRestored.stdout).toBe(`The counter of ${restored} is at 2.\n`);
    expect(ofLive.stdout).toBe(`The counter of ${live.tableName} is at 9007199254740993.\n`);
    expect([ofRestored.exitCode, ofLive.exitCode]).toEqual([0, 0]);
  });
});
