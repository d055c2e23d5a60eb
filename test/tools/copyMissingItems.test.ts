import { setTimeout } from 'node:timers/promises';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  emptyStore,
  emptyTable,
  storedItems,
  storedPets,
  storeItem,
  storeItems,
} from '../helpers/database.ts';
import { restored, runRestore } from '../helpers/runRestore.ts';
import { storedPet } from '../helpers/samplePets.ts';

vi.mock(import('node:timers/promises'), { spy: true });

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-12-05T16:00:00Z') });
  await emptyStore();
  await emptyTable(restored);
});

describe('npm run restore, while it copies', () => {
  it('copies more items than a call of DynamoDB takes, and prints each key', async () => {
    const ids = Array.from({ length: 250 }, (_, index) => BigInt(index + 1));
    await storeItems(
      ids.map((id) => storedPet(id)),
      restored,
    );

    const { stderr, stdout } = await runRestore();

    expect(stderr).toBe('');
    expect(new Set(stdout.match(/^Copied PET#\d+$/gm))).toHaveLength(250);
    expect(stdout).toContain('Items compared: 250. Copied: 250.\n');
    expect(await storedPets()).toHaveLength(250);
  });

  it('shows its progress after each page', async () => {
    const pages = [['PET#1', 'PET#2'], ['PET#3']];

    const { stdout } = await runRestore({
      async Scan() {
        const Items = (pages.shift() ?? []).map((pk) => ({ pk: { S: pk } }));
        return { Items, LastEvaluatedKey: pages.length > 0 ? Items.at(-1) : undefined };
      },
    });

    expect(stdout.match(/^Items compared.*/gm)).toEqual([
      'Items compared: 2. Copied: 2.',
      'Items compared: 3. Copied: 3.',
    ]);
  });

  it('asks again for keys that DynamoDB throttled, after a second', async () => {
    vi.mocked(setTimeout).mockResolvedValue(undefined);
    await storeItems([storedPet(1n), storedPet(2n)], restored);
    await storeItem(storedPet(2n));
    const puts: unknown[] = [];
    let asked = 0;

    const { stdout } = await runRestore({
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

  it.each([
    ['a fractional id', { pk: 'PET#9', id: 9.5 }],
    ['an id beyond int64', { pk: 'PET#9', id: 2n ** 63n }],
    ['a counter that is damaged', { pk: 'COUNTER', lastId: 'damaged' }],
    ['a counter beyond int64', { pk: 'COUNTER', lastId: 2n ** 63n }],
  ])(
    'copies everything, and raises the counter to the highest usable id, given %s in the restored table',
    async (_, damaged) => {
      await storeItems([storedPet(1n), storedPet(7n), damaged], restored);

      const { exitCode } = await runRestore();

      expect(exitCode).toBe(0);
      const stored = await storedItems();
      const keys = ['COUNTER', 'PET#1', 'PET#7', damaged.pk];
      expect(new Set(stored.map(({ pk }) => pk))).toEqual(new Set(keys));
      expect(stored).toContainEqual({ pk: 'COUNTER', lastId: 7n });
    },
  );
});
