import { beforeEach, describe, expect, it, vi } from 'vitest';
import { apiKeyDigest, apiKeyId } from '../../lib/apiKeys/apiKey.ts';
import { runCommand } from '../../tools/command.ts';
import { keys as keysCommand } from '../../tools/keys.ts';
import { connectionReset, dynamoDbError } from '../helpers/database.ts';
import {
  createKey,
  first,
  idForm,
  keyForm,
  keys,
  listed,
  onFirst,
  ownStage,
} from '../helpers/runKeys.ts';

describe('npm run keys -- rotate', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-20T16:00:00Z') });
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
    'rotates a key without a gap, the new one with the permissions and the lifetime of the old: %s %s',
    async (created, rotated, old, successor) => {
      const name = `rotated${rotated}`;
      const optionsIn = (text: string) => text.split(' ').filter(Boolean);
      const id = await createKey(name, ...optionsIn(created));
      vi.setSystemTime('2026-11-20T17:00:00Z');

      const { stdout } = await keys('rotate', ...ownStage, '--id', id, ...optionsIn(rotated));

      const [state, , end] = old.split(' ');
      const fate = state === 'expired' ? 'is expired. Running' : `expires at ${end}.`;
      expect(stdout).toContain(`The old key ${id} ${fate}`);
      const rows = (await listed(name)).map(([id, state, permissions, , expires]) =>
        [id, state, permissions, expires].join(' '),
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

  it.each<[other: string, old: string, sentence: string]>([
    ['rotate --grace-hours=0', 'expired 2026-11-20T16:00Z', 'is expired. Running'],
    ['rotate --grace-hours=48', 'valid 2026-11-21T16:00Z', 'expires at 2026-11-21T16:00Z.'],
    ['revoke', 'revoked never', 'is revoked. Running'],
  ])(
    'only ever moves the end of the old key earlier, and says it, if another %s runs meanwhile',
    async (other, old, sentence) => {
      const name = `meets ${other}`;
      const id = await createKey(name);
      onFirst('UpdateItem', async (pass) => {
        await runCommand(keysCommand, [...other.split(' '), ...ownStage, '--id', id]);
        return pass();
      });

      const { exitCode, stdout, stderr } = await keys('rotate', ...ownStage, '--id', id);

      expect([exitCode, stderr]).toEqual([0, '']);
      expect(stdout.trimEnd().split('\n').at(-1)).toContain(`The old key ${id} ${sentence}`);
      const rows = (await listed(name)).map(([id, state, , , end]) => [id, `${state} ${end}`]);
      const { [id]: oldRow, ...successors } = Object.fromEntries(rows);
      expect(oldRow).toBe(old);
      // Each successor was printed.
      expect(Object.keys(successors)).toHaveLength(other === 'revoke' ? 1 : 2);
      for (const [newId, row] of Object.entries(successors)) {
        expect(stdout).toContain(newId);
        expect(row).toMatch(/^valid /);
      }
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

  it('shows a new key before it is stored, so each valid key was shown', async () => {
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

  it('fails if the end of the old key cannot be stored', async () => {
    const id = await createKey('endless');
    onFirst('UpdateItem', async () => {
      throw dynamoDbError('AccessDeniedException', 400);
    });

    const { exitCode, stderr } = await keys('rotate', ...ownStage, '--id', id);

    expect([exitCode, stderr]).toEqual([1, 'AccessDeniedException by the test\n']);
  });
});
