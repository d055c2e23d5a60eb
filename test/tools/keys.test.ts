import { beforeEach, describe, expect, it, vi } from 'vitest';
import { apiKeyDigest, apiKeyId } from '../../lib/apiKeys/apiKey.ts';
import { config } from '../../lib/config.ts';
import { stringifyExactJson } from '../../lib/int64.ts';
import { tables } from '../../lib/tables.ts';
import { runCommand } from '../../tools/command.ts';
import { keys as keysCommand } from '../../tools/keys.ts';
import {
  connectionReset,
  dynamoDbError,
  emptyTable,
  interceptDatabase,
  storedItems,
  storeItems,
} from '../helpers/database.ts';
import { runCommandHere } from '../helpers/runCommandHere.ts';

const keyForm = /ps_[\w-]+_[A-Za-z0-9]{49}/;
const idForm = /key_[\da-f]{12}/;

const ownStage = ['--stage', config().stage];

const keys = (...args: string[]) => runCommandHere(keysCommand, args);
const first = (form: RegExp, output: string) => form.exec(output)?.[0] ?? '';

/** Creates a key and returns its id. */
async function createKey(name: string, ...args: string[]): Promise<string> {
  const { stdout } = await keys('create', ...ownStage, '--name', name, ...args);
  return first(idForm, stdout);
}

const tableName = config().tableNames.apiKeys;
const storedRecords = () => storedItems(tableName);

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
    return () => vi.useRealTimers();
  });

  it('stores the digest of a key, not the key', async () => {
    const created = await keys('create', ...ownStage, '--name', 'kept', '--expires-in-days', '1');
    const rotated = await keys('rotate', ...ownStage, '--id', first(idForm, created.stdout));

    const records = stringifyExactJson(await storedRecords());
    for (const { stdout } of [created, rotated]) {
      const key = first(keyForm, stdout);
      expect(records).toContain(apiKeyDigest(key));
      expect(records).not.toContain(key.slice(-49));
    }
  });

  it('lists keys by id, state, rights and name, and never shows a key again', async () => {
    const longestName = `${'é'.repeat(63)}🐶`;
    const endless = await createKey(longestName);
    const ending = await createKey('ending', '--expires-in-days', '2', '--read-only');

    const { stdout } = await keys('list', ...ownStage);

    const lines = stdout.split('\n');
    expect(lines[0]).toBe(
      'ID                STATE    RIGHTS  CREATED            EXPIRES            NAME',
    );
    expect(lines).toContain(
      `${endless}  valid    all     2026-11-20T16:00Z  never              ${longestName}`,
    );
    expect(lines).toContain(
      `${ending}  valid    read    2026-11-20T16:00Z  2026-11-22T16:00Z  ending`,
    );
    expect(stdout).not.toMatch(keyForm);
  });

  it.each([
    [
      ...['--expires-in-days=30 --read-only', ''],
      ...['valid read 2026-11-21T17:00Z', 'valid read 2026-12-20T17:00Z'],
    ],
    [
      ...['--expires-in-days=1', '--grace-hours=240'],
      ...['valid all 2026-11-21T16:00Z', 'valid all 2026-11-21T17:00Z'],
    ],
    ['', '--grace-hours=0', 'expired all 2026-11-20T17:00Z', 'valid all never'],
  ] as [created: string, rotated: string, old: string, successor: string][])(
    'rotates a key without a gap, the new one with the rights and the lifetime of the old: %s %s',
    async (created, rotated, old, successor) => {
      const name = `rotated${rotated}`;
      const optionsIn = (text: string) => text.split(' ').filter(Boolean);
      const id = await createKey(name, ...optionsIn(created));
      vi.setSystemTime('2026-11-20T17:00:00Z');

      const { stdout } = await keys('rotate', ...ownStage, '--id', id, ...optionsIn(rotated));

      const [state, , end] = old.split(' ');
      const fate = state === 'expired' ? 'has expired. Running' : `expires at ${end}.`;
      expect(stdout).toContain(`The old key ${id} ${fate}`);
      const rows = (await listed(name)).map(([id, state, rights, , expires]) =>
        [id, state, rights, expires].join(' '),
      );
      expect(new Set(rows)).toEqual(
        new Set([`${id} ${old}`, `${first(idForm, stdout)} ${successor}`]),
      );
    },
  );

  it('gives the new key the whole lifetime of the old key, even if the old key is rotated again', async () => {
    const id = await createKey('rotated twice', '--expires-in-days', '30');
    const rotate = () => keys('rotate', ...ownStage, '--id', id);
    await rotate();
    vi.setSystemTime('2026-11-20T17:00:00Z');

    const { stdout } = await rotate();

    expect(stdout).toContain('\nExpires  2026-12-20T17:00Z\n');
    expect(stdout).toContain(`The old key ${id} expires at 2026-11-21T16:00Z.`);
  });

  // The clock stands still, so the end of the second rotation is not later than that of the first.
  it.each<[other: string, created: string[], old: string]>([
    ['rotate --grace-hours=0', [], 'expired 2026-11-20T16:00Z'],
    ['rotate', [], 'valid 2026-11-21T16:00Z'],
    ['rotate', ['--expires-in-days', '1'], 'valid 2026-11-21T16:00Z'],
    ['revoke', [], 'revoked never'],
  ])(
    'fails a rotation and revokes its new key, if the old key meets another %s meanwhile: %j',
    async (...row) => {
      const [other, created, old] = row;
      const name = row.join();
      const id = await createKey(name, ...created);
      onFirst('UpdateItem', async (pass) => {
        await runCommand(keysCommand, [...other.split(' '), ...ownStage, '--id', id]);
        return pass();
      });

      const { exitCode, stdout, stderr } = await keys('rotate', ...ownStage, '--id', id);

      const newId = first(idForm, stdout);
      expect(stderr).toBe(
        `Another command has rotated or revoked ${id} meanwhile, so the new key ${newId} was revoked.\n`,
      );
      expect(exitCode).toBe(1);
      const rows = (await listed(name)).map(([id, state, , , end]) => [id, `${state} ${end}`]);
      const { [id]: oldRow, [newId]: newRow, ...successors } = Object.fromEntries(rows);
      expect(oldRow).toBe(old);
      expect(newRow).toMatch(/^revoked /);
      expect(Object.values(successors)).toEqual(
        other === 'revoke' ? [] : [expect.stringMatching(/^valid /)],
      );
    },
  );

  it.each(['PutItem', 'UpdateItem'])(
    'rotates a key again, even if the response to the first %s is lost',
    async (action) => {
      const id = await createKey(`lost ${action}`, '--expires-in-days', '9');
      await keys('rotate', ...ownStage, '--id', id);
      const actions = onFirst(action, async (pass) => {
        await pass();
        throw connectionReset();
      });

      const { exitCode, stderr } = await keys('rotate', ...ownStage, '--id', id);

      expect([exitCode, stderr]).toEqual([0, '']);
      expect(actions.filter((each) => each === action)).toHaveLength(2);
      const rows = await listed(`lost ${action}`);
      expect(rows.map(([, state, , , end]) => `${state} ${end}`).sort()).toEqual([
        'valid 2026-11-21T16:00Z',
        'valid 2026-11-29T16:00Z',
        'valid 2026-11-29T16:00Z',
      ]);
    },
  );

  it('shows a new key before it is stored, so no valid key exists that nobody saw', async () => {
    const id = await createKey('half way');
    onFirst('PutItem', async () => {
      throw dynamoDbError('AccessDeniedException', 400);
    });

    const { exitCode, stdout, stderr } = await keys('rotate', ...ownStage, '--id', id);

    const newId = apiKeyId(apiKeyDigest(first(keyForm, stdout)));
    const reason = 'AccessDeniedException by the test';
    expect(stderr).toBe(`${reason}\nThe new key works only if "list" shows ${newId}.\n`);
    expect(exitCode).toBe(1);
    expect(await listed('half way')).toEqual([
      [id, 'valid', 'all', '2026-11-20T16:00Z', 'never', 'half way'],
    ]);
  });

  it.each([
    ['2026-11-22T16:00Z', ['--expires-in-days', '2']],
    ['never', []],
  ])('prints when a new key expires: %s', async (expires, options) => {
    const { stdout } = await keys('create', ...ownStage, '--name', 'new', ...options);

    expect(stdout).toContain(`\nExpires  ${expires}\n`);
  });

  it('revokes a key once', async () => {
    const id = await createKey('client');

    const revoked = await keys('revoke', ...ownStage, '--id', id);
    const again = await keys('revoke', ...ownStage, '--id', id);

    expect(revoked.stdout).toContain('within 60 seconds');
    expect((await listed('client')).map(([, state]) => state)).toEqual(['revoked']);
    expect(again).toMatchObject({
      exitCode: 1,
      stderr: `The API key ${id} is already revoked or expired.\n`,
    });
  });

  it.each([
    ['revoke', '2026-11-20T16:00:00Z', ['--expires-in-days', '30'], ['revoke']],
    ['rotate', '2026-11-21T16:00:00Z', [], ['rotate']],
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

  it('lists, rotates and revokes the keys of every page', async () => {
    await emptyTable(tableName, 'digest');
    // DynamoDB ends a page after 1 MB.
    const digests = ['a', 'b', 'c', 'd'].map((digit) => digit.repeat(64));
    const records = digests.map((digest) => ({
      ...{ digest, name: 'paged', createdAtEpochSeconds: 1n, padding: 'x'.repeat(390_000) },
    }));
    await storeItems(records, tableName);

    const listedIds = (await listed('paged')).map(([id = '']) => id);
    // The last key of the list is on the last page, because the keys are equally old.
    const lastId = listedIds.at(-1) ?? '';
    const rotated = await keys('rotate', ...ownStage, '--id', lastId);
    const revoked = await keys('revoke', ...ownStage, '--id', lastId);

    expect(new Set(listedIds)).toEqual(new Set(digests.map(apiKeyId)));
    expect(rotated).toMatchObject({ exitCode: 0, stderr: '' });
    expect(revoked).toMatchObject({ exitCode: 0, stderr: '' });
  });

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

  it.each(['revoke', 'rotate'])(
    'stores no part of a record that is deleted meanwhile: %s',
    async (command) => {
      const id = await createKey('deleted');
      onFirst('UpdateItem', async (pass) => {
        await emptyTable(tableName, 'digest');
        return pass();
      });

      const { exitCode } = await keys(command, ...ownStage, '--id', id);

      expect(exitCode).toBe(1);
      expect(await storedRecords()).toEqual([]);
    },
  );

  it('reports an id that no key has', async () => {
    const { exitCode, stderr } = await keys('rotate', ...ownStage, '--id', 'key_000000000000');

    expect(stderr).toBe(
      `No API key of ${config().stage} has the id key_000000000000: use "list".\n`,
    );
    expect(exitCode).toBe(1);
  });
});
