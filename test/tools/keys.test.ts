import { beforeEach, describe, expect, it, vi } from 'vitest';
import { apiKeyDigest, apiKeyId } from '../../lib/apiKeys/apiKey.ts';
import { config } from '../../lib/config.ts';
import { stringifyExactJson } from '../../lib/int64.ts';
import { tables } from '../../lib/tables.ts';
import { keys as command } from '../../tools/keys.ts';
import {
  connectionReset,
  dynamoDbError,
  emptyTable,
  interceptDatabase,
  storedItems,
  storeItems,
} from '../helpers/database.ts';
import { runCommandHere } from '../helpers/runCommandHere.ts';

const tableName = config().tableNames.apiKeys;
const storedRecords = () => storedItems(tableName);

const keyForm = /ps_[\w-]+_[A-Za-z0-9]{49}/;
const idForm = /key_[\da-f]{12}/;

const ownStage = ['--stage', config().stage];

/** Runs the command. */
const keys = (...args: string[]) => runCommandHere(command, args);

/** Returns the first text of a form in an output. */
const first = (form: RegExp, output: string) => form.exec(output)?.[0] ?? '';

/** Creates a key and returns its id. */
async function createKey(name: string, ...args: string[]): Promise<string> {
  const { stdout } = await keys('create', ...ownStage, '--name', name, ...args);
  return first(idForm, stdout);
}

/** Lets a function send the first request of an action. Returns the growing list of all actions. */
function onFirst(name: string, send: (pass: () => Promise<unknown>) => Promise<unknown>): string[] {
  let isFirst = true;
  return interceptDatabase(({ action, pass }) => {
    if (action !== name || !isFirst) return pass();
    isFirst = false;
    return send(pass);
  });
}

/** The rows of the list for a client. */
async function listed(name: string): Promise<string[][]> {
  const { stdout } = await keys('list', ...ownStage);
  const rows = stdout.split('\n').map((line) => line.split(/ {2,}/));
  return rows.filter((row) => row.at(-1) === name);
}

describe('npm run keys', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-20T16:00:00Z') });
  });

  it('stores the digest of a key, not the key', async () => {
    const { stdout } = await keys('create', ...ownStage, '--name', 'kept');

    const key = first(keyForm, stdout);
    const records = stringifyExactJson(await storedRecords());
    expect(records).toContain(apiKeyDigest(key));
    expect(records).not.toContain(key.slice(-49));
  });

  it('lists keys by id, state, permissions and name, and never shows a key again', async () => {
    // With the joiners of an emoji and of Persian words.
    const longestName = `👩\u200D🚀 می\u200Cروم ${'é'.repeat(53)}`;
    const endless = await createKey(longestName);
    const ending = await createKey('ending', '--expires-in-days', '2', '--read-only');
    const ended = await createKey('ended', '--expires-in-days', '1');
    vi.setSystemTime('2026-11-21T16:00:00Z');

    const { stdout } = await keys('list', ...ownStage);

    const lines = stdout.split('\n');
    expect(lines[0]).toBe(
      'ID                STATE    PERMISSIONS  CREATED            EXPIRES            NAME',
    );
    expect(lines).toContain(
      `${endless}  valid    all          2026-11-20T16:00Z  never              ${longestName}`,
    );
    expect(lines).toContain(
      `${ending}  valid    read         2026-11-20T16:00Z  2026-11-22T16:00Z  ending`,
    );
    expect(lines).toContain(
      `${ended}  expired  all          2026-11-20T16:00Z  2026-11-21T16:00Z  ended`,
    );
    expect(stdout).not.toMatch(keyForm);
  });

  it.each([
    ['2026-11-22T16:00Z', ['--expires-in-days', '2']],
    ['never', []],
  ])('prints when a new key expires: %s', async (expires, options) => {
    const { stdout } = await keys('create', ...ownStage, '--name', 'new', ...options);

    expect(stdout).toContain(`\nExpires  ${expires}\n`);
  });

  it('revokes a key once, while a second key of the client stays valid', async () => {
    const id = await createKey('client');
    const second = await createKey('client');

    const revoked = await keys('revoke', ...ownStage, '--id', id);
    const again = await keys('revoke', ...ownStage, '--id', id);

    expect(revoked.stdout).toContain('within 60 seconds');
    const states = (await listed('client')).map(([id, state]) => [id, state]);
    expect(Object.fromEntries(states)).toEqual({ [id]: 'revoked', [second]: 'valid' });
    expect(again).toMatchObject({
      exitCode: 1,
      stderr: `The API key ${id} is already revoked or expired.\n`,
    });
  });

  it.each([
    ['revoke', '2026-11-20T16:00:00Z', ['--expires-in-days', '30'], ['revoke']],
    ['create --expires-in-days 2', '2026-11-22T16:00:00Z', ['--expires-in-days', '2'], []],
    ['create', undefined, [], []],
  ])(
    'lets DynamoDB delete a key 90 days after its end, if it has one: %s',
    async (_what, end, options, command) => {
      const id = await createKey('ending soon', ...options);
      if (command.length > 0) await keys(...command, ...ownStage, '--id', id);

      const record = (await storedRecords()).find(({ digest }) => apiKeyId(String(digest)) === id);
      expect(record?.[tables.apiKeys.timeToLiveAttribute]).toEqual(
        end && BigInt(Date.parse(end) / 1000 + 90 * 86_400),
      );
    },
  );

  it('lists and revokes the keys of every page', async () => {
    await emptyTable(tableName, 'digest');
    const digests = Array.from({ length: 101 }, (_, n) =>
      String(n).padStart(64, '0').split('').reverse().join(''),
    );
    // DynamoDB ends a page after 1 MB.
    const records = digests.map((digest) => ({
      digest,
      name: 'paged',
      createdAtEpochSeconds: 1n,
      padding: 'x'.repeat(11_000),
    }));
    await storeItems(records, tableName);

    const listedIds = (await listed('paged')).map(([id = '']) => id);
    // The last key of the list is on the last page, because the keys are equally old.
    const lastId = listedIds.at(-1) ?? '';
    const revoked = await keys('revoke', ...ownStage, '--id', lastId);

    expect(new Set(listedIds)).toEqual(new Set(digests.map(apiKeyId)));
    expect(revoked).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('shows a key before it stores it, so each valid key was shown', async () => {
    onFirst('PutItem', async () => {
      throw dynamoDbError('AccessDeniedException', 400);
    });

    const { exitCode, stdout, stderr } = await keys('create', ...ownStage, '--name', 'half way');

    const id = apiKeyId(apiKeyDigest(first(keyForm, stdout)));
    const reason = 'AccessDeniedException by the test';
    expect(stderr).toBe(`${reason}\nThe key works only if "list" shows ${id}.\n`);
    expect(exitCode).toBe(1);
    expect(await listed('half way')).toEqual([]);
  });

  it.each(['PutItem', 'UpdateItem'])(
    'creates and revokes one key, even if the response to the first %s is lost',
    async (action) => {
      const actions = onFirst(action, async (pass) => {
        await pass();
        throw connectionReset();
      });

      const id = await createKey(`lost ${action}`);
      const { exitCode } = await keys('revoke', ...ownStage, '--id', id);

      expect(exitCode).toBe(0);
      expect(actions.filter((each) => each === action)).toHaveLength(2);
      expect((await listed(`lost ${action}`)).map(([id, state]) => [id, state])).toEqual([
        [id, 'revoked'],
      ]);
    },
  );

  it('reads consistently, so it finds a key that was created a moment before', async () => {
    const reads: unknown[] = [];
    interceptDatabase(({ input, pass }) => {
      reads.push(input.ConsistentRead);
      return pass();
    });

    await keys('list', ...ownStage);

    expect(new Set(reads)).toEqual(new Set([true]));
  });

  it('lists all keys, even if one is damaged', async () => {
    await emptyTable(tableName, 'digest');
    const id = await createKey('calm');
    await storeItems([{ digest: 'damaged' }], tableName);

    const { exitCode, stdout, stderr } = await keys('list', ...ownStage);

    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: 'Skipped the record damaged: it is damaged.\n',
    });
    expect(stdout).toContain(id);
  });

  it('lists and revokes a key whose record has a time that no date can have', async () => {
    const digest = 'f'.repeat(64);
    const createdAtEpochSeconds = 10n ** 17n;
    await storeItems([{ digest, name: 'late', createdAtEpochSeconds }], tableName);

    const { exitCode } = await keys('revoke', ...ownStage, '--id', apiKeyId(digest));

    expect(exitCode).toBe(0);
    expect(await listed('late')).toEqual([
      [apiKeyId(digest), 'revoked', 'all', 'damaged', 'never', 'late'],
    ]);
  });

  it('stores no part of a record that is deleted meanwhile', async () => {
    const id = await createKey('deleted');
    onFirst('UpdateItem', async (pass) => {
      await emptyTable(tableName, 'digest');
      return pass();
    });

    const { exitCode } = await keys('revoke', ...ownStage, '--id', id);

    expect(exitCode).toBe(1);
    expect(await storedRecords()).toEqual([]);
  });

  it('reports an id that no key has', async () => {
    const { exitCode, stderr } = await keys('revoke', ...ownStage, '--id', 'key_000000000000');

    expect(stderr).toBe(
      `No API key of ${config().stage} has the id key_000000000000: use "list".\n`,
    );
    expect(exitCode).toBe(1);
  });
});
