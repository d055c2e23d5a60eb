import { beforeEach, describe, expect, it, vi } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { config } from '../../lib/config.ts';
import { issueApiKey, listApiKeys } from '../../tools/apiKeyRegistry.ts';
import { restore } from '../../tools/restore.ts';
import { call } from '../helpers/api.ts';
import {
  deleteItem,
  dynamoDbError,
  emptyStore,
  emptyTable,
  storedItems,
  storedPets,
  storeItem,
  storeItems,
} from '../helpers/database.ts';
import { runCommandHere } from '../helpers/runCommandHere.ts';
import { type Handler, live, restored, restoredKeys, runRestore } from '../helpers/runRestore.ts';
import { exactPets, idIn, minimalPet, storedPet } from '../helpers/samplePets.ts';

const petsByKey = async () => Object.fromEntries((await storedPets()).map((pet) => [pet.pk, pet]));

const create = async () => idIn((await call(createPet, { body: minimalPet })).text);

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-12-05T16:00:00Z') });
  await emptyStore();
  await emptyTable(restored);
});

describe('npm run restore', () => {
  it('restores a new table, copies lost items back as they were, and can be repeated', async () => {
    await create();
    await storeItem(storedPet(2n, { ...exactPets.at(-1), token: 't', later: 1n }));
    const before = await petsByKey();
    const snapshot = await storedItems();
    await deleteItem('PET#1');
    await deleteItem('PET#2');
    await deleteItem('COUNTER');
    const requests: object[] = [];

    const first = await runRestore({
      async DescribeTable({ TableName }) {
        if (TableName === restored && requests.length === 0)
          throw dynamoDbError('ResourceNotFoundException', 400);
        return undefined;
      },
      async RestoreTableToPointInTime(input) {
        requests.push(input);
        await storeItems(snapshot, restored);
        return {};
      },
    });
    const repeated = await runRestore();

    expect(first).toEqual({
      exitCode: 0,
      stderr: '',
      stdout: expect.stringMatching(
        `^Restoring ${live} to ${restored}, in minutes to hours.
Items compared: 0. Copied: 0.
Copied PET#\\d
Copied PET#\\d
Items compared: 2. Copied: 2.
The id counter is at least 2.
Delete the restored table when you no longer need it:
  aws dynamodb delete-table --table-name ${restored}
$`,
      ),
    });
    expect(repeated.stdout).toContain(`Continuing with ${restored}.\n`);
    expect(repeated.stdout).toContain('Items compared: 2. Copied: 0.\n');
    expect(await petsByKey()).toEqual(before);
    expect(await create()).toBe('3');
    expect(requests).toEqual([
      {
        SourceTableName: live,
        TargetTableName: restored,
        RestoreDateTime: new Date('2026-11-20T16:00:00Z'),
        GlobalSecondaryIndexOverride: [],
      },
    ]);
  });

  it('raises the counter first, continues after an interruption, and overwrites nothing', async () => {
    const token = 'restored';
    const pets = Array.from({ length: 20 }, (_, index) => storedPet(BigInt(index + 1), { token }));
    await storeItems(pets, restored);
    await storeItem(storedPet(20n, { token: 'Ada' }));
    const puts: string[] = [];
    const PutItem: Handler = async ({ Item }) => {
      puts.push((Item as { id: { N: string } }).id.N);
      if (puts.length > 5) throw dynamoDbError('AccessDeniedException', 400);
      if (puts.length > 1) return undefined;
      expect(await storedItems()).toContainEqual({ pk: 'COUNTER', lastId: 20n });
      // Meanwhile another pet is added under the same key.
      await storeItem(storedPet(BigInt(puts[0] ?? ''), { token: 'Ida' }));
      return undefined;
    };

    const interrupted = await runRestore({ PutItem });
    const continued = await runRestore();

    expect(interrupted).toMatchObject({
      exitCode: 1,
      stderr: 'AccessDeniedException by the test\n',
    });
    expect(interrupted.stdout).not.toContain('The id counter is');
    expect(continued.exitCode).toBe(0);
    expect(continued.stdout).toContain('Items compared: 20. Copied: 14.\n');
    const after = await petsByKey();
    const tokens = Object.values(after).map((pet) => pet.token);
    expect(tokens.sort()).toEqual(['Ada', 'Ida', ...Array(18).fill('restored')]);
    expect(after[`PET#${puts[0]}`]?.token).toBe('Ida');
    expect(await create()).toBe('21');
  });

  it('says with --dry-run what it would do, and changes nothing in the live table', async () => {
    await storeItems([storedPet(100n), { pk: 'COUNTER', lastId: 5n }], restored);

    const { exitCode, stdout } = await runRestore({}, ['--dry-run']);

    expect(exitCode).toBe(0);
    expect(stdout).toContain(`Missing PET#100
Items compared: 1. Missing: 1.
The id counter would be at least 100.
To copy the missing items, run the command without --dry-run.
`);
    expect(await storedItems()).toEqual([]);
  });

  const big = 9007199254740993n;

  it.each([
    ['a lower one', { lastId: 7n }, 21n],
    ['a higher one', { lastId: big }, big + 1n],
    ['a damaged one', { lastId: 'damaged' }, 21n],
    ['a fractional one', { lastId: 25.5 }, 21n],
    ['one beyond int64', { lastId: 2n ** 63n }, 21n],
  ])('never lowers the counter, and repairs it, given %s', async (_, attributes, nextId) => {
    await storeItems([{ pk: 'COUNTER', lastId: 20n }, storedPet(12n)], restored);
    await storeItem({ pk: 'COUNTER', ...attributes });

    expect((await runRestore()).stdout).toContain(`The id counter is at least ${nextId - 1n}.`);

    expect(await create()).toBe(String(nextId));
  });

  it('keeps a counter that is repaired between its read and its write', async () => {
    await storeItems([storedPet(20n)], restored);
    await storeItem({ pk: 'COUNTER', lastId: 25.5 });

    const { stdout } = await runRestore({
      async UpdateItem() {
        await storeItem({ pk: 'COUNTER', lastId: 500n });
        return undefined;
      },
    });

    expect(stdout).toContain('The id counter is at least 500.');
    expect(await create()).toBe('501');
  });

  it('raises the counter to that of the restored table before it reads the pets', async () => {
    await storeItems([{ pk: 'COUNTER', lastId: 20n }], restored);
    const counters: object[] = [];

    await runRestore({
      async Scan() {
        counters.push(...(await storedItems()));
        return undefined;
      },
    });

    expect(counters).toEqual([{ pk: 'COUNTER', lastId: 20n }]);
  });

  it('copies lost API keys with --table apiKeys', async () => {
    const { stage, tableNames } = config();
    const registry = { stage, tableName: tableNames.apiKeys };
    await issueApiKey({ ...registry, tableName: restoredKeys }, { name: 'lost' });

    const { stdout } = await runRestore({}, ['--table', 'apiKeys']);

    expect(stdout).toMatch(
      /Copied [\da-f]{64}\nItems compared: 1\. Copied: 1\.\nRevoke the API keys again that were revoked after 2026-11-20T16:00:00/,
    );
    const names = (await listApiKeys(registry)).map(({ name }) => name);
    expect(names).toContain('lost');
    expect(await storedItems()).toEqual([]);
  });

  it.each([
    ['2026-11-31T16:00:00Z', 'is on a day that does not exist'],
    ['2026-12-05T16:00:01Z', 'is in the future'],
    ['2026-10-20T16:00:00Z', 'is too old'],
  ])('exits with 2 and asks nothing of AWS if --at %s %s', async (time) => {
    const refused = await runCommandHere(restore, ['--stage', config().stage, '--at', time]);

    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain('It takes a time of the last 35 days: 2026-11-20T16');
  });

  it('exits with 1, and names the Region and the profile in which the stage is not deployed', async () => {
    const args = ['--stage', 'v1-alice', '--at', '2026-11-20T16:00:00Z'];
    const RestoreTableToPointInTime = async () => {
      throw dynamoDbError('TableNotFoundException', 400);
    };

    const { exitCode, stderr } = await runRestore({ RestoreTableToPointInTime }, args);

    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      'v1-alice is not deployed in the Region local: it has no such table. Check AWS_REGION, AWS_PROFILE and your AWS credentials.\n',
    );
  });
});
