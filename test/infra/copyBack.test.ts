import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { copyBack, raiseCounter } from '../../infra/tools/restore/copyBack.ts';
import { emptyStore, storedItems, storeItem } from '../helpers/database.ts';
import { create, live, snapshot } from '../helpers/petTables.ts';

async function storedName(pk: string): Promise<unknown> {
  return (await storedItems()).find((item) => item.pk === pk)?.name;
}

beforeEach(emptyStore);

describe('copyBack', () => {
  it('overwrites no existing pet unless it is replacing', async () => {
    await create('Rex');
    const restored = await snapshot();
    await storeItem({ pk: 'PET#1', id: 1n, name: 'Damaged' });

    expect(await copyBack(restored, live, ['PET#1'], { isReplacing: false })).toEqual([]);
    expect(await storedName('PET#1')).toBe('Damaged');

    expect(await copyBack(restored, live, ['PET#1'], { isReplacing: true })).toEqual(['PET#1']);
    expect(await storedName('PET#1')).toBe('Rex');
  });

  it('replaces no pet that has changed since it was read', async () => {
    await create('Rex');
    const restored = await snapshot();
    await storeItem({ pk: 'PET#1', id: 1n, name: 'Damaged' });
    const changing = new DynamoDBClient();
    changing.middlewareStack.add(
      (next) => async (command) => {
        const output = await next(command);
        await storeItem({ pk: 'PET#1', id: 1n, name: 'Changed' });
        return output;
      },
      { step: 'initialize' },
    );

    const table = { ...live, client: changing };
    const written = await copyBack(restored, table, ['PET#1'], { isReplacing: true });

    expect(written).toEqual([]);
    expect(await storedName('PET#1')).toBe('Changed');
  });

  it('skips keys that the restored table does not have', async () => {
    const restored = await snapshot();

    expect(await copyBack(restored, live, ['PET#5'], { isReplacing: true })).toEqual([]);
  });
});

describe('raiseCounter', () => {
  it.each([
    ['a lower one', { lastId: 7n }],
    ['a damaged one', { lastId: 'damaged' }],
    ['one without an id', {}],
  ])('makes the next pet get a higher id, given %s', async (_, attributes) => {
    await storeItem({ pk: 'COUNTER', ...attributes });

    expect(await raiseCounter(live, 20n)).toBe(20n);

    expect(await create('Rex')).toBe(21);
  });

  it('creates a missing counter, exact beyond 2^53', async () => {
    await raiseCounter(live, 9007199254740993n);

    await create('Rex');

    expect(await storedItems()).toContainEqual(
      expect.objectContaining({ pk: 'PET#9007199254740994' }),
    );
  });

  it('never lowers the counter', async () => {
    await storeItem({ pk: 'COUNTER', lastId: 500n });

    expect(await raiseCounter(live, 20n)).toBe(500n);

    expect(await create('Rex')).toBe(501);
  });

  it('causes no duplicate id while requests take ids', async () => {
    const ids = await Promise.all([
      ...Array.from({ length: 5 }, () => create('Rex')),
      raiseCounter(live, 100n),
      ...Array.from({ length: 5 }, () => create('Mia')),
    ]);

    expect(new Set(ids.map(Number)).size).toBe(11);
    expect(await create('Tom')).toBeGreaterThan(100);
  });
});
