import { DeleteItemCommand, DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { handler as getPet } from '../../functions/getPet.ts';
import { samplePet } from '../../infra/local/samplePet.ts';
import { copyTable } from '../../infra/tools/restore/copyTable.ts';
import { restore } from '../../infra/tools/restore.ts';
import { config } from '../../lib/config.ts';
import { call } from '../helpers/api.ts';
import { deleteItem, emptyStore, storeItem } from '../helpers/database.ts';
import { runScript, temporaryFolder } from '../helpers/npmScript.ts';
import { restoringAws } from '../helpers/restoringAws.ts';
import { runCommandHere } from '../helpers/runCommandHere.ts';

// Not by the environment, which a test changes.
const client = new DynamoDBClient({ endpoint: inject('dynamoDbEndpoint') });
const live = { client, tableName: config.petsTableName, readUnitsPerSecond: 1_000_000 };

async function create(name: string): Promise<number> {
  const { json } = await call(createPet, { body: { name, categoryId: 1 } });
  return json.id;
}

async function tableNames(): Promise<string[]> {
  const { TableNames = [] } = await client.send(new ListTablesCommand());
  return TableNames;
}

beforeEach(async () => {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  await emptyStore();
});

describe('npm run restore-drill', () => {
  it('restores, compares, lifts the counter and leaves nothing behind', async () => {
    await create('Rex');
    await create('Mia');
    const { environment, restores } = await restoringAws(async (tableName) => {
      await copyTable(live, tableName);
      await create('Tom');
    });

    const args = ['drill', '--stage', 'v1-staging'];
    const { exitCode, stdout, stderr } = await runCommandHere(restore, args, environment);

    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    const [drillTable] = restores.map(({ TargetTableName }) => TargetTableName);
    expect(restores).toEqual([
      {
        SourceTableName: live.tableName,
        TargetTableName: expect.stringMatching(/-drill-\d{8}T\d{6}Z$/),
        RestoreDateTime: expect.any(Number),
        GlobalSecondaryIndexOverride: [],
      },
    ]);
    const moment = new Date(Number(restores[0]?.RestoreDateTime) * 1000).toISOString();
    expect(stdout).toBe(`Waiting until ${live.tableName} can be restored to ${moment}.
Restoring it to ${drillTable}.
Compared 2 restored pets with 3 live ones:
  equal                       2
  missing in the live table   0
  different in the live table 0
  created since               1
  not restored                0
The restored counter stood at 2 and was lifted to 3: the next pet there would be 4.
Deleted ${drillTable}.
`);
    // DynamoDB lists a table for as long as it takes to delete it.
    await vi.waitUntil(async () => !(await tableNames()).includes(String(drillTable)));
  });

  it('keeps its table and fails where pets were lost or damaged, and copy-back repairs them', async () => {
    const id = await create('Rex');
    for (const name of ['Mia', 'Ada']) await create(name);
    const { environment, restores } = await restoringAws(async (tableName) => {
      await copyTable(live, tableName);
      await deleteItem(`PET#${id}`);
      await storeItem({ pk: 'PET#2', id: 2n });
      await storeItem({ pk: 'COUNTER', lastId: 0n });
    });
    const ofStage = ['--stage', 'v1-staging'];

    const drill = await runCommandHere(restore, ['drill', ...ofStage], environment);
    const drillTable = restores[0]?.TargetTableName ?? '';
    const copy = ['copy-back', ...ofStage, '--table', drillTable];
    const recovery = await runCommandHere(restore, copy, environment);
    const repair = await runCommandHere(restore, [...copy, '--replace'], environment);

    expect(drill.exitCode).toBe(1);
    expect(drill.stdout).toContain('  missing in the live table   1: 1\n');
    expect(drill.stdout).toContain(`Kept ${drillTable}`);
    expect(drill.stdout).toContain('  different in the live table 1: 2\n');
    expect(drill.stdout + recovery.stdout + repair.stdout).not.toMatch(/Rex|Mia|Ada/);
    // One is different still.
    expect(recovery).toMatchObject({ exitCode: 1, stderr: '' });
    expect(recovery.stdout).toContain('Copied 1 back.');
    expect(repair).toMatchObject({ exitCode: 0, stderr: '' });
    expect(repair.stdout).toContain('Copied 1 back.');
    const pets = [1, 2].map((petId) => call(getPet, { petId: String(petId) }));
    expect((await Promise.all(pets)).map(({ json }) => json.name)).toEqual(['Rex', 'Mia']);
    expect(await create('Tom')).toBe(4);
  });

  it('fails where the restore did not bring back a pet that was there before', async () => {
    const ids = [await create('Rex'), await create('Mia')];
    const { environment } = await restoringAws(async (tableName) => {
      await copyTable(live, tableName);
      const Key = { pk: { S: `PET#${ids[1]}` } };
      await client.send(new DeleteItemCommand({ TableName: tableName, Key }));
      // From an id that an instance took from the counter before.
      await storeItem({ ...samplePet(3n), pk: 'PET#3' });
      await storeItem({ pk: 'COUNTER', lastId: 10n });
    });

    const args = ['drill', '--stage', 'v1-staging'];
    const { exitCode, stdout } = await runScript('restore', args, environment);

    expect(exitCode).toBe(1);
    expect(stdout).toContain(`  not restored                1: ${ids[1]}\n`);
    expect(stdout).toContain('  created since               1\n');
    expect(stdout).toContain('was lifted to 10: the next pet there would be 11.');
  });

  it('restores to a moment in earnest, and names the new table', async () => {
    await create('Rex');
    const { environment, restores } = await restoringAws((tableName) => copyTable(live, tableName));

    const toPoint = (at: string) =>
      runCommandHere(restore, ['to-point', '--stage', 'v1-staging', '--at', at], environment);
    const { exitCode, stdout } = await toPoint('2026-11-20T16:00:00Z');

    expect((await toPoint('yesterday')).stderr).toBe(
      '--at takes a moment as 2026-11-20T16:00:00Z.\n',
    );
    expect(restores).toHaveLength(1);
    expect(exitCode).toBe(0);
    expect(restores[0]?.RestoreDateTime).toBe(Date.parse('2026-11-20T16:00:00Z') / 1000);
    expect(stdout).toContain(`to ${restores[0]?.TargetTableName}.`);
    expect(await tableNames()).toContain(restores[0]?.TargetTableName);
  });

  it('practises on a copy in the local stage, and lift-counter lifts above what it is told', async () => {
    const local = ['--stage', 'local', '--data', await temporaryFolder()];

    const drill = await runScript('restore', ['drill', ...local]);
    const above = ['--above', '9007199254740993'];
    const lift = await runScript('restore', ['lift-counter', ...local, ...above]);

    expect(drill).toMatchObject({ exitCode: 0, stderr: '' });
    expect(drill.stdout).toContain('a local engine cannot restore');
    expect(drill.stdout).toContain('Deleted PetStore-local-pets-drill-');
    expect(lift.stdout).toBe('The counter of PetStore-local-pets stands at 9007199254740993.\n');
  });

  it.each([
    [['drill'], '--stage is missing.'],
    [['to-point', '--stage', 'local', '--at', '2026-11-20T16:00:00Z'], 'cannot restore a table'],
    [['copy-back', '--stage', 'local'], '--table is missing'],
    [['compare', '--stage', 'local', '--table', 'PetStore-local-pets'], 'the live table itself'],
    [['lift-counter', '--stage', 'local', '--above', '-1'], '--above'],
  ])('refuses %j and says what to change', async (args, message) => {
    const { exitCode, stdout, stderr } = await runCommandHere(restore, [...args, '--data', 'none']);

    expect(exitCode).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('    at ');
  });
});
