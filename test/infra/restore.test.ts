import { setTimeout } from 'node:timers/promises';
import { type AttributeValue, DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { createTable } from '../../infra/local/createTables.ts';
import { restore } from '../../infra/tools/restore.ts';
import { config } from '../../lib/config.ts';
import { petsTable } from '../../lib/dynamodb/tables.ts';
import { call } from '../helpers/api.ts';
import {
  deleteItem,
  emptyStore,
  emptyTable,
  storedItems,
  storeItem,
  storeItems,
} from '../helpers/database.ts';
import { AwsError, restoringAws } from '../helpers/restoringAws.ts';
import { runCommandHere } from '../helpers/runCommandHere.ts';
import { idIn, minimalPet, petWithInteger, storedPet } from '../helpers/samplePets.ts';

vi.mock(import('node:timers/promises'), { spy: true });

// With its own endpoint, because the tests change the environment.
const client = new DynamoDBClient({ endpoint: inject('dynamoDbEndpoint') });
const live = config().petsTableName;

/** The table that the command restores. Each test fills it, as a restore does. */
const restored = `${live}-restored-20261120T160000Z`;
await createTable(client, restored, petsTable);

/** Runs the command in the staging stage, with these actions of DynamoDB faked. */
async function run(handlers: Parameters<typeof restoringAws>[0] = {}, args: string[] = []) {
  const environment = await restoringAws({
    async RestoreTableToPointInTime() {
      throw new AwsError('InvalidRestoreTimeException');
    },
    ...handlers,
  });
  const stageAndTime = ['--stage', 'v1-staging', '--at', '2026-11-20T16:00:00Z'];
  return runCommandHere(restore, [...stageAndTime, ...args], environment);
}

async function itemsByKey(): Promise<Record<string, Record<string, AttributeValue>>> {
  const { Items = [] } = await client.send(new ScanCommand({ TableName: live }));
  return Object.fromEntries(Items.map((item) => [item.pk?.S, item]));
}

const create = async () => idIn((await call(createPet, { body: minimalPet })).text);

beforeEach(async () => {
  await emptyStore();
  await emptyTable(restored);
});

describe('npm run restore', () => {
  it('restores a new table, copies lost pets back, and can be repeated', async () => {
    await create();
    await storeItem(storedPet(2n, { ...petWithInteger(2n ** 63n - 1n), token: 't', later: 1n }));
    const before = await itemsByKey();
    const snapshot = await storedItems();
    await deleteItem('PET#1');
    await deleteItem('PET#2');
    await storeItem({ pk: 'COUNTER', lastId: 0n });
    const requests: object[] = [];

    const first = await run({
      async DescribeTable() {
        if (requests.length === 0) throw new AwsError('ResourceNotFoundException');
        return undefined;
      },
      async RestoreTableToPointInTime(input) {
        requests.push(input);
        await storeItems(snapshot, restored);
        return {};
      },
    });
    const repeated = await run();

    expect(first).toEqual({
      exitCode: 0,
      stderr: '',
      stdout: `Restoring ${live} as of 2026-11-20T16:00:00.000Z to ${restored}.
2 of 2 pets are missing in ${live}: 1, 2.
The counter is at 0 and was raised to 2.
Copied 2 of 2.
Delete the restored table when you no longer need it:
  aws dynamodb delete-table --table-name ${restored}
`,
    });
    expect(repeated.stdout).toContain(`Continuing with ${restored}.\n0 of 2 pets are missing`);
    const { COUNTER: _, ...after } = await itemsByKey();
    expect(after).toEqual({ 'PET#1': before['PET#1'], 'PET#2': before['PET#2'] });
    expect(await create()).toBe('3');
    expect(requests).toEqual([
      {
        SourceTableName: live,
        TargetTableName: restored,
        RestoreDateTime: Date.parse('2026-11-20T16:00:00Z') / 1000,
        GlobalSecondaryIndexOverride: [],
      },
    ]);
  });

  it('continues after an interruption, and overwrites nothing', async () => {
    const pets = Array.from({ length: 40 }, (_, index) => storedPet(BigInt(index + 1)));
    await storeItems(pets, restored);
    await storeItem({ ...storedPet(40n), name: 'Ada' });
    let puts = 0;
    const failing = async () => {
      if (++puts > 10) throw new AwsError('AccessDeniedException');
      return undefined;
    };

    const interrupted = await run({ PutItem: failing });
    const continued = await run();

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
    await storeItems([storedPet(7n)], restored);
    const handlers = {
      async PutItem() {
        expect(await storedItems()).toContainEqual({ pk: 'COUNTER', lastId: 7n });
        await storeItem({ ...storedPet(7n), name: 'Ada' });
        return undefined;
      },
    };

    const { stdout } = await run(handlers);

    expect(stdout).toContain('Copied 0 of 1.\n1 exist by now and were not overwritten.\n');
    expect((await itemsByKey())['PET#7']?.name?.S).toBe('Ada');
  });

  it('says with --dry-run what it would do, and changes nothing in the live table', async () => {
    await storeItems(
      [3n, 20n, 100n].map((id) => storedPet(id)),
      restored,
    );
    await storeItem({ pk: 'COUNTER', lastId: 5n });

    const { exitCode, stdout } = await run({}, ['--dry-run']);

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
    await storeItems([{ pk: 'COUNTER', lastId: 20n }, storedPet(12n)], restored);
    await storeItem({ pk: 'COUNTER', ...attributes });

    expect((await run()).stdout).toContain(`The counter ${text}`);

    expect(await create()).toBe(String(nextId));
  });

  it('copies nothing but pets', async () => {
    await storeItems(
      ['PET#release-check#1', 'PET#0', 'PET#01', `PET#${2n ** 63n}`, 'PET#', 'OTHER#2'].map(
        (pk) => ({ pk, id: 5n }),
      ),
      restored,
    );

    expect((await run()).stdout).toContain('0 of 0 pets are missing');
    expect((await storedItems()).map(({ pk }) => pk)).toEqual(['COUNTER']);
  });

  it('reads with a quarter of the ceiling', async () => {
    // The ceiling of staging is 600 units a second.
    const Scan = async () => ({ Items: [], ConsumedCapacity: { CapacityUnits: 30 } });

    await run({ Scan });

    expect(vi.mocked(setTimeout).mock.calls).toEqual([[200], [200]]);
  });
});
