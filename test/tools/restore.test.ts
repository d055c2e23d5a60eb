import { setTimeout as pause } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { config } from '../../lib/config.ts';
import { mapTables } from '../../lib/tables.ts';
import { createTables } from '../../local/createTables.ts';
import { issueApiKey, listApiKeys } from '../../tools/apiKeyRegistry.ts';
import { restore } from '../../tools/restore.ts';
import { call, registry } from '../helpers/api.ts';
import {
  connectionReset,
  dynamoDbError,
  emptyTable,
  emptyTables,
  interceptDatabase,
  storedItems,
  storeItem,
  storeItems,
} from '../helpers/database.ts';
import { runCommandHere } from '../helpers/runCommandHere.ts';
import { exactPets, idIn, minimalPet, storedPet } from '../helpers/samplePets.ts';

const { stage, tableNames } = config();
const restoredNames = mapTables((name) => `${tableNames[name]}-restored`);
const restored = restoredNames.pets;
await createTables(restoredNames);

const run = (...args: string[]) =>
  runCommandHere(restore, ['--stage', stage, '--from', restored, ...args]);

const counter = (lastId: unknown) => ({ pk: 'COUNTER', lastId });

/** An id that no double holds. */
const largeId = 2n ** 53n + 1n;

/** Pets with the ids from 1 to a number. */
const pets = (count: number, changed: object = {}) =>
  Array.from({ length: count }, (_, index) => storedPet(BigInt(index + 1), changed));

const byKey = (items: { pk: string }[]) => Object.fromEntries(items.map((item) => [item.pk, item]));

const create = async () => idIn((await call(createPet, { body: minimalPet })).text);

beforeEach(async () => {
  await emptyTables();
  await emptyTable(restored);
});

describe('npm run restore', () => {
  it('copies lost items back as they were, overwrites nothing, and can be repeated', async () => {
    const lost = storedPet(2n, { ...exactPets.at(-1), token: 'lost', later: 1n });
    const live = storedPet(1n, { token: 'live' });
    await storeItems([counter(largeId), storedPet(1n), lost], restored);
    await storeItem(live);

    const first = await run();
    const repeated = await run();

    expect(first).toEqual({
      exitCode: 0,
      stderr: '',
      stdout: `The id counter is at least ${largeId}.\nCopied PET#2\nItems compared: 2. Copied: 1.\n`,
    });
    expect(repeated.stdout).toBe('Items compared: 2. Copied: 0.\n');
    expect(byKey(await storedItems())).toEqual(byKey([counter(largeId), live, lost]));
    expect(await create()).toBe(String(largeId + 1n));
  });

  it('raises the counter first, continues after an interruption, and keeps a pet that is added meanwhile', async () => {
    await storeItems([...pets(50), counter(50n)], restored);
    const added = storedPet(1n, { token: 'added meanwhile' });
    let putsUntilFailure = 30;
    interceptDatabase(async ({ action, input, pass }) => {
      if (action === 'UpdateItem') await pause(100);
      if (action === 'Scan') expect(await storedItems()).toContainEqual(counter(50n));
      if (action !== 'PutItem') return pass();
      putsUntilFailure -= 1;
      if (putsUntilFailure < 0) throw dynamoDbError('AccessDeniedException', 400);
      if (Object(input.Item).pk.S === added.pk) await storeItem(added);
      return pass();
    });

    const interrupted = await run();
    putsUntilFailure = Number.POSITIVE_INFINITY;
    const continued = await run();

    expect(interrupted).toMatchObject({
      exitCode: 1,
      stderr: 'AccessDeniedException by the test\n',
    });
    expect(continued.exitCode).toBe(0);
    const copied = [...`${interrupted.stdout}${continued.stdout}`.matchAll(/(?<=^Copied ).+/gm)];
    expect(copied.map(String).sort()).toEqual(
      pets(50)
        .flatMap(({ pk }) => (pk === added.pk ? [] : [pk]))
        .sort(),
    );
    expect(byKey(await storedItems())).toEqual(byKey([...pets(50), counter(50n), added]));
    expect(await create()).toBe('51');
  });

  it('says with --dry-run what it would do, and changes nothing', async () => {
    await storeItems([...pets(2), counter(5n)], restored);
    await storeItem(storedPet(1n));

    expect((await run('--dry-run')).stdout).toBe(
      'The id counter would be at least 5.\nMissing PET#2\nItems compared: 2. Missing: 1.\n',
    );
    expect(await storedItems()).toEqual([storedPet(1n)]);
  });

  it('never lowers a counter that is raised meanwhile', async () => {
    await storeItem(counter(20n));
    await storeItems([counter(30n)], restored);
    interceptDatabase(async ({ action, input, pass }) => {
      // Otherwise, DynamoDB may return a counter from before its last change.
      if (action === 'GetItem') expect(input.ConsistentRead).toBe(true);
      if (action === 'UpdateItem') await storeItem(counter(500n));
      return pass();
    });

    expect((await run()).exitCode).toBe(0);

    expect(await storedItems()).toEqual([counter(500n)]);
  });

  it('raises the counter to the highest id before it copies, if that of the restored table was set back', async () => {
    await storeItems([...pets(30), storedPet(largeId), counter(largeId - 1n)], restored);
    interceptDatabase(async ({ action, pass }) => {
      if (action === 'PutItem') expect(await storedItems()).toContainEqual(counter(largeId));
      return pass();
    });

    expect(await run()).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it.each([
    ['a text', 'damaged', '{"S":"damaged"}'],
    ['beyond int64', 2n ** 63n, '{"N":"9223372036854775808"}'],
  ])('copies nothing, and says how to set a counter that is %s', async (_, lastId, shown) => {
    for (const table of [tableNames.pets, restored]) {
      await Promise.all([emptyTables(), emptyTable(restored)]);
      await storeItems([...pets(2), counter(20n)], restored);
      await storeItems([counter(lastId)], table);
      const before = await storedItems();

      const { exitCode, stderr } = await run();

      expect(exitCode).toBe(1);
      expect(stderr).toContain(`The id counter of ${table} is no int64: ${shown}.`);
      expect(stderr).toContain(
        `\n  aws dynamodb update-item --table-name ${table} --key '{"pk":{"S":"COUNTER"}}' --update-expression 'SET lastId = :id' `,
      );
      expect(await storedItems()).toEqual(before);
    }
  });

  it('copies every item if all open connections are reset at once, and one again and again', async () => {
    await storeItems(pets(50), restored);
    const resets = new Map<unknown, number>();
    let reset: Promise<void> | undefined;
    interceptDatabase(async ({ action, input, pass }) => {
      const { S: key } = Object(input.Item).pk ?? {};
      const count = resets.get(key) ?? 0;
      if (action !== 'PutItem' || count === (key === 'PET#1' ? 5 : 1)) return pass();
      resets.set(key, count + 1);
      // All puts that open until then are reset at once.
      reset ??= pause(500);
      await reset;
      throw connectionReset();
    });

    const { stdout, stderr } = await run();

    expect(stderr).toBe('');
    expect(stdout).toContain('Items compared: 50. Copied: 50.\n');
    expect(await storedItems()).toHaveLength(51);
  });

  it('copies a page at a time, and says how far it is', async () => {
    await storeItems(pets(6, { later: 'x'.repeat(300_000) }), restored);

    const { stdout } = await run();

    expect(stdout.match(/^Items compared: \d/gm)).toHaveLength(2);
    expect(stdout).toContain('Items compared: 6. Copied: 6.\n');
  });

  it('copies lost API keys with --table apiKeys, and says that revoked ones may be valid again', async () => {
    await issueApiKey({ ...registry, tableName: restoredNames.apiKeys }, { name: 'lost' });

    const { stdout } = await run('--table', 'apiKeys', '--from', restoredNames.apiKeys);

    expect(stdout).toMatch(
      /^Copied [\da-f]{64}\nItems compared: 1\. Copied: 1\.\nA copied key that was revoked later is /,
    );
    expect((await listApiKeys(registry)).map(({ name }) => name)).toContain('lost');
    expect(await storedItems()).toEqual([]);
  });

  it('exits with 1 and says which table cannot be read', async () => {
    const missing = await run('--from', 'PetStore-none');
    const wrong = await run('--from', restoredNames.apiKeys);
    const stageIsMissing = await run('--stage', 'v1-alice');

    expect(missing).toMatchObject({ exitCode: 1, stdout: '' });
    expect(missing.stderr).toMatch(
      /^PetStore-none cannot be read: .+ aws dynamodb wait table-exists --table-name PetStore-none\n$/s,
    );
    expect(wrong.stderr).toContain(`${restoredNames.apiKeys} cannot be read: The provided key `);
    expect(stageIsMissing.stderr).toContain('v1-alice is not deployed in the Region local: ');
  });

  it('exits with 2 if --from names the live table', async () => {
    const refused = await run('--from', tableNames.pets);

    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain(`${tableNames.pets} is the live one.`);
  });
});
