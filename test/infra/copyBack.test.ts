import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { handler as getPet } from '../../functions/getPet.ts';
import { compareTables } from '../../infra/tools/restore/compareTables.ts';
import { copyBack } from '../../infra/tools/restore/copyBack.ts';
import { liftCounter } from '../../infra/tools/restore/liftCounter.ts';
import { call } from '../helpers/api.ts';
import { deleteItem, emptyStore, storedItems, storeItem } from '../helpers/database.ts';
import { create, live, snapshot } from '../helpers/petTables.ts';

const get = (id: number) => call(getPet, { petId: String(id) });

beforeEach(emptyStore);

describe('copyBack', () => {
  it('brings lost pets back as they were', async () => {
    const ids = [await create('Rex', '9223372036854775807'), await create('Mia')];
    const before = await Promise.all(ids.map(get));
    const restored = await snapshot();
    for (const id of ids) await deleteItem(`PET#${id}`);

    const written = await copyBack(restored, live, ['PET#1', 'PET#2'], { isReplacing: false });

    expect(written.sort()).toEqual(['PET#1', 'PET#2']);
    const after = await Promise.all(ids.map(get));
    expect(after.map(({ text }) => text)).toEqual(before.map(({ text }) => text));
    expect(after[0]?.text).toContain('"categoryId":9223372036854775807');
    expect((await compareTables(restored, live)).equalItems).toBe(2);
  });

  it('overwrites no pet that is there, unless it is told to', async () => {
    await create('Rex');
    const restored = await snapshot();
    await storeItem({ pk: 'PET#1', id: 1n, name: 'Damaged' });

    expect(await copyBack(restored, live, ['PET#1'], { isReplacing: false })).toEqual([]);
    expect((await compareTables(restored, live)).different).toEqual(['PET#1']);

    expect(await copyBack(restored, live, ['PET#1'], { isReplacing: true })).toEqual(['PET#1']);
    expect((await get(1)).json.name).toBe('Rex');
  });

  it('replaces nothing that has changed since it was read', async () => {
    await create('Rex');
    const restored = await snapshot();
    await storeItem({ pk: 'PET#1', id: 1n, name: 'Damaged' });
    const changing = new DynamoDBClient();
    changing.middlewareStack.add(
      (next) => async (command) => {
        const answer = await next(command);
        await storeItem({ pk: 'PET#1', id: 1n, name: 'Changed' });
        return answer;
      },
      { step: 'initialize' },
    );

    const table = { ...live, client: changing };
    const written = await copyBack(restored, table, ['PET#1'], { isReplacing: true });

    expect(written).toEqual([]);
    expect((await storedItems()).find(({ pk }) => pk === 'PET#1')?.name).toBe('Changed');
  });

  it('leaves out what the restored table does not have', async () => {
    const restored = await snapshot();

    expect(await copyBack(restored, live, ['PET#5'], { isReplacing: true })).toEqual([]);
  });
});

describe('liftCounter', () => {
  it('lets the next pet have an id above', async () => {
    await create('Rex');

    expect(await liftCounter(live, 9007199254740993n)).toBe(9007199254740993n);

    const { text } = await call(createPet, { body: { name: 'Mia', categoryId: 1 } });
    expect(text).toContain('"id":9007199254740994');
  });

  it('never sets the counter back', async () => {
    await storeItem({ pk: 'COUNTER', lastId: 500n });

    expect(await liftCounter(live, 20n)).toBe(500n);

    expect(await create('Rex')).toBe(501);
  });

  it('makes a counter where there is none, and repairs a damaged one', async () => {
    await liftCounter(live, 20n);
    expect(await create('Rex')).toBe(21);

    await storeItem({ pk: 'COUNTER', lastId: 'damaged' });
    await liftCounter(live, 30n);

    expect(await create('Mia')).toBe(31);
  });

  it('gives no id twice beside requests that take ids', async () => {
    const ids = await Promise.all([
      ...Array.from({ length: 5 }, () => create('Rex')),
      liftCounter(live, 100n),
      ...Array.from({ length: 5 }, () => create('Mia')),
    ]);

    expect(new Set(ids.map(Number)).size).toBe(11);
    expect(await create('Tom')).toBeGreaterThan(100);
  });
});
