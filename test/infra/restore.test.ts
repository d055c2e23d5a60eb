import assert from 'node:assert/strict';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { createTable } from '../../infra/local/createTables.ts';
import { settingsOf } from '../../infra/stages.ts';
import { issueApiKey, listApiKeys } from '../../infra/tools/apiKeyRegistry.ts';
import { restore } from '../../infra/tools/restore.ts';
import { config } from '../../lib/config.ts';
import { tables } from '../../lib/tables.ts';
import { call } from '../helpers/api.ts';
import { otherName } from '../helpers/bareStage.ts';
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
import { fakeStack } from '../helpers/fakeStack.ts';
import { runCommandHere } from '../helpers/runCommandHere.ts';
import { exactPets, idIn, minimalPet, storedPet } from '../helpers/samplePets.ts';

vi.mock(import('node:timers/promises'), { spy: true });

// With its own endpoint, because the tests change the environment.
const client = new DynamoDBClient({ endpoint: inject('dynamoDbEndpoint') });
const live = config().tableNames.pets;

/** The tables that the command restores. Each test fills them, as a restore does. */
const [restored, restoredKeys] = [live, config().tableNames.apiKeys].map(
  (name) => `${name}-restored-20261120T160000Z`,
) as [string, string];
await createTable(client, restored, tables.pets);
await createTable(client, restoredKeys, tables.apiKeys);

type Input = Record<string, unknown>;

/** Handles an action of DynamoDB instead of the engine, unless it returns undefined. */
type Handler = (input: Input) => Promise<object | undefined>;

/** Runs the command in the staging stage, with these actions of DynamoDB faked. */
async function run(handlers: Record<string, Handler> = {}, args: string[] = []) {
  const send: (command: never) => Promise<object> = DynamoDBClient.prototype.send;
  async function sendOrFake(this: DynamoDBClient, command: { input: Input }) {
    const action = command.constructor.name.replace(/Command$/, '');
    return (await handlers[action]?.(command.input)) ?? send.call(this, command as never);
  }
  const spy = vi.spyOn(DynamoDBClient.prototype, 'send').mockImplementation(sendOrFake as never);
  const stageAndTime = ['--stage', otherName, '--at', '2026-11-20T16:00:00Z'];
  const result = await runCommandHere(restore, [...stageAndTime, ...args], await fakeStack());
  spy.mockRestore();
  return result;
}

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

    const first = await run({
      async DescribeTable() {
        if (requests.length === 0) throw dynamoDbError('ResourceNotFoundException', 400);
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
      stdout: expect.stringMatching(
        `^Restoring ${live} to ${restored}, in minutes to hours.
Copied PET#\\d
Copied PET#\\d
Items compared: 2. Copied: 2.
The id counter is at least 2.
Delete the restored table when you no longer need it:
  aws dynamodb delete-table --table-name ${restored}
$`,
      ),
    });
    expect(repeated.stdout).toContain(
      `Continuing with ${restored}.\nItems compared: 2. Copied: 0.\n`,
    );
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

    const interrupted = await run({ PutItem });
    const continued = await run();

    expect(interrupted).toMatchObject({
      exitCode: 1,
      stderr: 'AccessDeniedException by the test\n',
    });
    // The first put was refused, and the sixth failed.
    expect(interrupted.stdout.match(/^Copied PET#\d+$/gm)).toHaveLength(4);
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

    const { exitCode, stdout } = await run({}, ['--dry-run']);

    expect(exitCode).toBe(0);
    expect(stdout).toContain(`Missing PET#100
Items compared: 1. Missing: 1.
The id counter would be at least 100.
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

    expect((await run()).stdout).toContain(`The id counter is at least ${nextId - 1n}.`);

    expect(await create()).toBe(String(nextId));
  });

  it('keeps a counter that is repaired between its read and its write', async () => {
    await storeItems([storedPet(20n)], restored);
    await storeItem({ pk: 'COUNTER', lastId: 25.5 });

    const { stdout } = await run({
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

    await run({
      async Scan() {
        counters.push(...(await storedItems()));
        return undefined;
      },
    });

    expect(counters).toEqual([{ pk: 'COUNTER', lastId: 20n }]);
  });

  it('copies several items at once, and lists the first 100 keys', async () => {
    const ids = Array.from({ length: 250 }, (_, index) => BigInt(index + 1));
    await storeItems(
      ids.map((id) => storedPet(id)),
      restored,
    );
    let puts = 0;

    const PutItem: Handler = async () => {
      puts += 1;
      await vi.waitFor(() => assert(puts > 1, 'The second item waits for the first.'));
      return undefined;
    };
    const { stderr, stdout } = await run({ PutItem }, ['--share', '100']);

    expect(stderr).toBe('');
    expect(stdout.match(/^Copied PET#/gm)).toHaveLength(100);
    expect(stdout).toContain('Further keys are only counted.\nItems compared: 250. Copied: 250.\n');
    expect(await storedPets()).toHaveLength(250);
  });

  it('never reads far ahead of its comparisons, so that a table of any size fits into memory', async () => {
    let [read, compared, mostUncompared] = [0, 0, 0];

    const { stdout } = await run({
      async Scan() {
        read += 1;
        mostUncompared = Math.max(mostUncompared, read - compared);
        const key = { pk: { S: `PET#${read}` } };
        return { Items: [key], LastEvaluatedKey: read < 200 ? key : undefined };
      },
      async BatchGetItem({ RequestItems }) {
        const { Keys } = Object(RequestItems)[live];
        await setImmediate();
        compared += 1;
        return { Responses: { [live]: Keys } };
      },
    });

    expect(stdout).toContain('Items compared: 200. Copied: 0.\n');
    expect(mostUncompared).toBeLessThan(60);
  });

  it('shows its progress every 10 seconds', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    await storeItems([storedPet(1n), storedPet(2n)], restored);

    const { stdout } = await run({
      async PutItem() {
        vi.advanceTimersByTime(10_000);
        return undefined;
      },
    });

    expect(stdout.match(/^Items compared.*/gm)).toEqual([
      'Items compared: 0. Copied: 0.',
      'Items compared: 0. Copied: 1.',
      'Items compared: 2. Copied: 2.',
    ]);
  });

  it('asks again for keys that DynamoDB throttled, after a second', async () => {
    vi.mocked(setTimeout).mockResolvedValue(undefined);
    await storeItems([storedPet(1n), storedPet(2n)], restored);
    await storeItem(storedPet(2n));
    const puts: unknown[] = [];
    let asked = 0;

    const { stdout } = await run({
      async BatchGetItem({ RequestItems }) {
        asked += 1;
        return asked === 1 ? { UnprocessedKeys: RequestItems } : undefined;
      },
      async PutItem({ Item }) {
        puts.push(Object(Item).pk.S);
        return undefined;
      },
    });

    expect(puts).toEqual(['PET#1']);
    expect(stdout).toContain('Items compared: 2. Copied: 1.\n');
    expect(vi.mocked(setTimeout)).toHaveBeenCalledWith(1000);
  });

  it('copies lost API keys with --table apiKeys', async () => {
    const registry = { stage: otherName, tableName: config().tableNames.apiKeys };
    await issueApiKey({ ...registry, tableName: restoredKeys }, { name: 'lost' });

    const { stdout } = await run({}, ['--table', 'apiKeys']);

    expect(stdout).toMatch(/Copied [\da-f]{64}\nItems compared: 1\. Copied: 1\.\n/);
    const names = (await listApiKeys(registry)).map(({ name }) => name);
    expect(names).toContain('lost');
    expect(await storedItems()).toEqual([]);
  });

  it.each([
    ['2026-11-31T16:00:00Z', 'is on a day that does not exist'],
    ['2026-12-05T16:00:01Z', 'is in the future'],
    ['2026-10-20T16:00:00Z', 'is too old'],
  ])('exits with 2 and asks nothing of AWS if --at %s %s', async (time) => {
    const refused = await runCommandHere(restore, ['--stage', otherName, '--at', time]);

    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain('It takes a time of the last 35 days: 2026-11-20T16');
  });

  it('names the Region and the profile with which it cannot reach AWS', async () => {
    const args = ['--stage', otherName, '--at', '2026-11-20T16:00:00Z'];
    const environment = {
      AWS_ENDPOINT_URL_CLOUDFORMATION: 'http://127.0.0.1:1',
      AWS_REGION: 'mars-1',
      AWS_PROFILE: 'none',
      AWS_ACCESS_KEY_ID: '',
      AWS_EC2_METADATA_DISABLED: 'true',
    };

    const { stderr } = await runCommandHere(restore, args, environment);

    expect(stderr).toContain('cannot be read in the Region mars-1 with the profile none: ');
  });

  it.each([
    ['a quarter of the ceiling', [], 0.25],
    ['the share of the ceiling that --share names', ['--share', '50'], 0.5],
  ])('reads and writes within %s', async (_, args, share) => {
    // The clock stands still, so each pause is the sum of those before.
    vi.useFakeTimers({ toFake: ['Date', 'performance'], now: Date.now() });
    vi.mocked(setTimeout).mockResolvedValue(undefined);
    const { readUnits, writeUnits } = settingsOf(otherName).tableCeiling;
    await storeItems([storedPet(1n), storedPet(2n)], restored);

    await run(
      {
        async BatchGetItem() {
          return {};
        },
        async PutItem() {
          return { ConsumedCapacity: { CapacityUnits: 999, Table: { CapacityUnits: writeUnits } } };
        },
      },
      args,
    );

    const pausesMs = vi.mocked(setTimeout).mock.calls.map(([ms]) => ms);
    expect(pausesMs).toEqual([2000 / (readUnits * share), 1000 / share, 2000 / share]);
  });
});
