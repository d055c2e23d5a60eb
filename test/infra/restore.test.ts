import { setTimeout } from 'node:timers/promises';
import { type AttributeValue, DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { createTable } from '../../infra/local/createTables.ts';
import { startEmbeddedDatabase } from '../../infra/local/localDatabase.ts';
import { localStage } from '../../infra/local/localStage.ts';
import { restore } from '../../infra/tools/restore.ts';
import { config } from '../../lib/config.ts';
import { petsTable } from '../../lib/dynamodb/tables.ts';
import { call } from '../helpers/api.ts';
import { deleteItem, emptyStore, storedItems, storeItem, storeItems } from '../helpers/database.ts';
import { runScript, temporaryFolder } from '../helpers/npmScript.ts';
import { AwsError, restoringAws } from '../helpers/restoringAws.ts';
import { runCommandHere } from '../helpers/runCommandHere.ts';
import { idIn, minimalPet, petWithInteger, storedPet } from '../helpers/samplePets.ts';

vi.mock(import('node:timers/promises'), { spy: true });

// With its own endpoint, because the tests change the environment.
const client = new DynamoDBClient({ endpoint: inject('dynamoDbEndpoint') });
const live = config.petsTableName;

let restoredTables = 0;

/** Creates a table with these items, as a restore does. Returns its name. */
async function restoredTable(
  items: Record<string, unknown>[],
  table = `${live}-${++restoredTables}`,
): Promise<string> {
  await createTable(client, table, petsTable);
  await storeItems(items, table);
  return table;
}

/** Runs the command in the staging stage, with these actions of DynamoDB faked. */
async function run(args: string[], handlers: Parameters<typeof restoringAws>[0] = {}) {
  const environment = await restoringAws(handlers);
  return runCommandHere(restore, ['--stage', 'v1-staging', ...args], environment);
}

async function itemsByKey(): Promise<Record<string, Record<string, AttributeValue>>> {
  const { Items = [] } = await client.send(new ScanCommand({ TableName: live }));
  return Object.fromEntries(Items.map((item) => [item.pk?.S, item]));
}

const create = async () => idIn((await call(createPet, { body: minimalPet })).text);

beforeEach(emptyStore);

describe('npm run restore -- --at', () => {
  const at = ['--at', '2026-11-20T16:00:00Z'];
  const newTable = `${live}-restored-20261120T160000Z`;

  it('restores a new table, copies lost pets back, and can be repeated', async () => {
    await create();
    await storeItem(storedPet(2n, { ...petWithInteger(2n ** 63n - 1n), token: 't', later: 1n }));
    const before = await itemsByKey();
    const snapshot = await storedItems();
    await deleteItem('PET#1');
    await deleteItem('PET#2');
    await storeItem({ pk: 'COUNTER', lastId: 0n });
    const requests: object[] = [];
    const handlers: Parameters<typeof restoringAws>[0] = {
      async RestoreTableToPointInTime(input) {
        if (requests.length > 0) throw new AwsError('TableAlreadyExistsException');
        requests.push(input);
        await restoredTable(snapshot, newTable);
        return {};
      },
    };

    const first = await run(at, handlers);
    const repeated = await run(at, handlers);

    expect(first).toEqual({
      exitCode: 0,
      stderr: '',
      stdout: `Restoring ${live} as of 2026-11-20T16:00:00.000Z to ${newTable}.
2 of 2 pets are missing in ${live}: 1, 2.
The counter is at 0 and was raised to 2.
Copied 2 of 2.
Delete the restored table when you no longer need it:
  aws dynamodb delete-table --table-name ${newTable}
`,
    });
    expect(repeated.stdout).toContain(`Continuing with ${newTable}.\n0 of 2 pets are missing`);
    const { COUNTER: _, ...after } = await itemsByKey();
    expect(after).toEqual({ 'PET#1': before['PET#1'], 'PET#2': before['PET#2'] });
    expect(await create()).toBe('3');
    expect(requests).toEqual([
      {
        SourceTableName: live,
        TargetTableName: newTable,
        RestoreDateTime: Date.parse('2026-11-20T16:00:00Z') / 1000,
        GlobalSecondaryIndexOverride: [],
      },
    ]);
  });
});

describe('npm run restore -- --table', () => {
  it('continues after an interruption, and overwrites nothing', async () => {
    const pets = Array.from({ length: 40 }, (_, index) => storedPet(BigInt(index + 1)));
    const table = await restoredTable(pets);
    await storeItem({ ...storedPet(40n), name: 'Ada' });
    let puts = 0;
    const failing = async () => {
      if (++puts > 10) throw new AwsError('AccessDeniedException');
      return undefined;
    };

    const interrupted = await run(['--table', table], { PutItem: failing });
    const continued = await run(['--table', table]);

    expect(interrupted).toMatchObject({
      exitCode: 1,
      stderr: 'AccessDeniedException by the test\n',
    });
    expect(interrupted.stdout).toContain('39 of 40 pets are missing');
    expect(interrupted.stdout).toContain(': 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ….\n');
    expect(continued.exitCode).toBe(0);
    expect(continued.stdout).toContain('29 of 40 pets are missing');
    const { COUNTER: _, ...after } = await itemsByKey();
    expect(Object.keys(after)).toHaveLength(40);
    expect(after['PET#40']?.name?.S).toBe('Ada');
    expect(await create()).toBe('41');
  });

  it('raises the counter before it copies, and skips an id that is taken meanwhile', async () => {
    const table = await restoredTable([storedPet(7n)]);
    const handlers = {
      async PutItem() {
        expect(await storedItems()).toContainEqual({ pk: 'COUNTER', lastId: 7n });
        await storeItem({ ...storedPet(7n), name: 'Ada' });
        return undefined;
      },
    };

    const { stdout } = await run(['--table', table], handlers);

    expect(stdout).toContain('Copied 0 of 1.\n1 exist by now and were not overwritten.\n');
    expect((await itemsByKey())['PET#7']?.name?.S).toBe('Ada');
  });

  it('says with --dry-run what it would do, and changes nothing in the live table', async () => {
    const table = await restoredTable([3n, 20n, 100n].map((id) => storedPet(id)));
    await storeItem({ pk: 'COUNTER', lastId: 5n });

    const { exitCode, stdout } = await run(['--table', table, '--dry-run']);

    expect(exitCode).toBe(0);
    expect(stdout).toContain(`3 of 3 pets are missing in ${live}: 3, 20, 100.
The counter is at 5 and would be at 100 or above. Nothing was copied.
`);
    expect(await storedItems()).toEqual([{ pk: 'COUNTER', lastId: 5n }]);
  });

  const big = 9007199254740993n;

  it.each([
    ['a lower one', { lastId: 7n }, 'is at 7 and was raised to 20.', 21n],
    ['a higher one', { lastId: big }, `is at ${big}, above every id.`, big + 1n],
    ['a damaged one', { lastId: 'damaged' }, 'is at no number and was raised to 20.', 21n],
    ['one beyond int64', { lastId: 2n ** 63n }, 'is at no number and was raised to 20.', 21n],
    ['one without an id', {}, 'is at no number and was raised to 20.', 21n],
  ])('never lowers the counter, and repairs it, given %s', async (_, attributes, text, nextId) => {
    const table = await restoredTable([{ pk: 'COUNTER', lastId: 20n }, storedPet(12n)]);
    await storeItem({ pk: 'COUNTER', ...attributes });

    expect((await run(['--table', table])).stdout).toContain(`The counter ${text}`);

    expect(await create()).toBe(String(nextId));
  });

  it('copies nothing but pets', async () => {
    const table = await restoredTable(
      ['PET#release-check#1', 'PET#0', 'PET#01', `PET#${2n ** 63n}`, 'PET#', 'OTHER#2'].map(
        (pk) => ({ pk, id: 5n }),
      ),
    );

    expect((await run(['--table', table])).stdout).toContain('0 of 0 pets are missing');
    expect((await storedItems()).map(({ pk }) => pk)).toEqual(['COUNTER']);
  });

  it('reads with a quarter of the ceiling', async () => {
    const table = await restoredTable([]);
    // The ceiling of staging is 600 units a second.
    const Scan = async () => ({ Items: [], ConsumedCapacity: { CapacityUnits: 30 } });

    await run(['--table', table], { Scan });

    expect(vi.mocked(setTimeout).mock.calls).toEqual([[200], [200]]);
  });

  it('works in the local stage', async () => {
    const folder = await temporaryFolder();
    const { endpoint, stop } = await startEmbeddedDatabase(folder);
    const local = new DynamoDBClient({ endpoint });
    for (const table of [localStage.tableNames.pets, 'empty']) {
      await createTable(local, table, petsTable);
    }
    await stop();
    const args = ['--stage', 'local', '--data', folder, '--table', 'empty', '--dry-run'];

    const { exitCode, stdout, stderr } = await runScript('restore', args);

    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    expect(stdout).toContain('0 of 0 pets are missing in PetStore-local-pets.');
  });
});

describe('npm run restore', () => {
  it.each([
    ['One of --at and --table is needed.', []],
    ['cannot be used with', ['--at', '2026-11-20T16:00:00Z', '--table', 'restored']],
    ['It takes a time such as 2026-11-20T16:00:00Z.', ['--at', '2026-11-20']],
    ['--table names the live table itself.', ['--table', live]],
    ['A local engine cannot restore', ['--at', '2026-11-20T16:00:00Z', '--stage', 'local']],
  ])('refuses wrong usage: %s', async (message, args) => {
    const { exitCode, stderr } = await run(args);

    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
  });

  it('fails at once for a table that does not exist', async () => {
    const { exitCode, stderr } = await run(['--table', 'typo']);

    expect(exitCode).toBe(1);
    expect(stderr).toContain('There is no table typo');
  });
});
