import { beforeEach, describe, expect, it, vi } from 'vitest';
import { keys as keysCommand } from '../../infra/tools/keys.ts';
import { apiKeyDigest, apiKeyId } from '../../lib/apiKeys/apiKey.ts';
import { config } from '../../lib/config.ts';
import { stringifyExactJson } from '../../lib/int64.ts';
import { tables } from '../../lib/tables.ts';
import { storedItems } from '../helpers/database.ts';
import { fakeStack } from '../helpers/fakeStack.ts';
import { runCommandHere } from '../helpers/runCommandHere.ts';

const keyForm = /ps_[\w-]+_[A-Za-z0-9]{49}/;
const idForm = /key_[\da-f]{12}/;

const staging = ['--stage', 'v1-staging'];

const keys = async (...args: string[]) =>
  runCommandHere(keysCommand, args, await fakeStack('v1-staging'));
const first = (form: RegExp, output: string) => form.exec(output)?.[0] ?? '';

/** Creates a key and returns its id. */
async function createKey(name: string, ...args: string[]): Promise<string> {
  const { stdout } = await keys('create', ...staging, '--name', name, ...args);
  return first(idForm, stdout);
}

const storedRecords = () => storedItems(config().tableNames.apiKeys);

/** The rows of the list for a client. */
async function listed(name: string): Promise<string[][]> {
  const { stdout } = await keys('list', ...staging);
  const rows = stdout.split('\n').map((line) => line.split(/ {2,}/));
  return rows.filter((row) => row.at(-1) === name);
}

describe('npm run keys', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-20T16:00:00Z') });
    return () => vi.useRealTimers();
  });

  it('stores the digest of a key, not the key', async () => {
    const created = await keys('create', ...staging, '--name', 'kept', '--expires-in-days', '1');
    const rotated = await keys('rotate', ...staging, '--id', first(idForm, created.stdout));

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

    const { stdout } = await keys('list', ...staging);

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

      const { stdout } = await keys('rotate', ...staging, '--id', id, ...optionsIn(rotated));

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

  it('revokes a key once', async () => {
    const id = await createKey('client');

    const revoked = await keys('revoke', ...staging, '--id', id);
    const again = await keys('revoke', ...staging, '--id', id);

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
      if (command.length > 0) await keys(...command, ...staging, '--id', id);

      const record = (await storedRecords()).find(({ digest }) => apiKeyId(String(digest)) === id);
      expect(record?.[tables.apiKeys.timeToLiveAttribute]).toEqual(
        end && BigInt(Date.parse(end) / 1000 + 90 * 86_400),
      );
    },
  );

  it('reports an id that no key has', async () => {
    const { exitCode, stderr } = await keys('rotate', ...staging, '--id', 'key_000000000000');

    expect(stderr).toBe('No API key of v1-staging has the id key_000000000000: use "list".\n');
    expect(exitCode).toBe(1);
  });

  it('finds the stage of a sandbox by its stack', async () => {
    const args = ['create', '--stage', 'v1-alice', '--name', 'partner'];

    const { stdout, stderr } = await runCommandHere(keysCommand, args, await fakeStack('v1-alice'));

    expect(stderr).toBe('');
    expect(stdout).toMatch(/ps_v1_alice_/);
  });

  it('reports a name that no stage can have as wrong usage', async () => {
    const { exitCode, stderr } = await keys('list', '--stage', 'alice');

    expect(stderr).toContain('"alice" cannot name a stage. Use v1- and ');
    expect(exitCode).toBe(2);
  });
});
