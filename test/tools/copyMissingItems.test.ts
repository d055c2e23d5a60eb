import { setImmediate, setTimeout } from 'node:timers/promises';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { tableCeiling } from '../../infra/core/tableCeiling.ts';
import { settingsOf } from '../../infra/stages.ts';
import { otherName } from '../helpers/bareStage.ts';
import { emptyStore, emptyTable, storedPets, storeItem, storeItems } from '../helpers/database.ts';
import { type Handler, live, restored, runRestore } from '../helpers/runRestore.ts';
import { storedPet } from '../helpers/samplePets.ts';

vi.mock(import('node:timers/promises'), { spy: true });

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-12-05T16:00:00Z') });
  await emptyStore();
  await emptyTable(restored);
});

describe('npm run restore, while it copies', () => {
  it('copies several items at once, and lists the first 100 keys', async () => {
    const ids = Array.from({ length: 250 }, (_, index) => BigInt(index + 1));
    await storeItems(
      ids.map((id) => storedPet(id)),
      restored,
    );
    let puts = 0;
    const second = Promise.withResolvers<void>();

    // No copy ends before a second one has begun.
    const PutItem: Handler = async () => {
      puts += 1;
      if (puts > 1) second.resolve();
      await second.promise;
      return undefined;
    };
    const { stderr, stdout } = await runRestore({ PutItem }, ['--share', '100']);

    expect(stderr).toBe('');
    expect(stdout.match(/^Copied PET#/gm)).toHaveLength(100);
    expect(stdout).toContain('Further keys are only counted.\n');
    expect(stdout).toContain('Items compared: 250. Copied: 250.\n');
    expect(await storedPets()).toHaveLength(250);
  });

  it('never reads far ahead of its comparisons, so that a table of any size fits into memory', async () => {
    let [read, compared, mostUncompared] = [0, 0, 0];

    const { stdout } = await runRestore({
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

    const { stdout } = await runRestore({
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
    ['a quarter of the ceiling', [], 0.25],
    ['the share of the ceiling that --share names', ['--share', '50'], 0.5],
  ])('reads and writes within %s', async (_, args, share) => {
    // The clock stands still, so each pause is the sum of those before.
    vi.useFakeTimers({ toFake: ['Date', 'performance'], now: Date.now() });
    vi.mocked(setTimeout).mockResolvedValue(undefined);
    const { readUnits, writeUnits } = tableCeiling(settingsOf(otherName));
    await storeItems([storedPet(1n), storedPet(2n)], restored);

    await runRestore(
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
