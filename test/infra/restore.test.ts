import { setTimeout } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { handler as getPet } from '../../functions/getPet.ts';
import { awaitRestorable } from '../../infra/tools/restore/awaitRestorable.ts';
import { compareTables } from '../../infra/tools/restore/compareTables.ts';
import { copyBack } from '../../infra/tools/restore/copyBack.ts';
import { copyTable } from '../../infra/tools/restore/copyTable.ts';
import { findHighestId } from '../../infra/tools/restore/findHighestId.ts';
import { liftCounter } from '../../infra/tools/restore/liftCounter.ts';
import { scanTable } from '../../infra/tools/restore/scanTable.ts';
import type { Item, Table } from '../../infra/tools/restore/Table.ts';
import { config } from '../../lib/config.ts';
import { call } from '../helpers/api.ts';
import { deleteItem, emptyStore, storedItems, storeItem } from '../helpers/database.ts';

vi.mock('node:timers/promises', () => ({ setTimeout: vi.fn(async () => {}) }));

const client = new DynamoDBClient();
const readUnitsPerSecond = Number.POSITIVE_INFINITY;
const live: Table = { client, tableName: config.petsTableName, readUnitsPerSecond };

let restoredTables = 0;

/** The live table as it is now, in a table of its own. */
async function snapshot(): Promise<Table> {
  const tableName = `${live.tableName}-${++restoredTables}`;
  await copyTable(live, tableName);
  return { ...live, tableName };
}

async function create(name: string, categoryId = '1'): Promise<number> {
  const { json } = await call(createPet, { body: `{"name":"${name}","categoryId":${categoryId}}` });
  return json.id;
}

const get = (id: number) => call(getPet, { petId: String(id) });

/** A table that is read in these pages. */
function paged(...pages: Item[][]): Table {
  const send = vi.fn(async ({ input }) => {
    const page = Number(input.ExclusiveStartKey?.page?.N ?? 0);
    const isLast = page === pages.length - 1;
    const nextKey = { page: { N: String(page + 1) } };
    const ConsumedCapacity = { CapacityUnits: 128 };
    return { Items: pages[page], ConsumedCapacity, ...(!isLast && { LastEvaluatedKey: nextKey }) };
  });
  return { ...live, client: { send } as unknown as DynamoDBClient };
}

const pet = (id: number, name = 'Rex'): Item => ({ pk: { S: `PET#${id}` }, name: { S: name } });
const counter = (lastId: string): Item => ({ pk: { S: 'COUNTER' }, lastId: { N: lastId } });

beforeEach(async () => {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  vi.mocked(setTimeout).mockClear();
  await emptyStore();
});

describe('compareTables', () => {
  it('finds every pet equal where nothing has happened since', async () => {
    for (const each of ['9223372036854775807', '-9223372036854775808', '9007199254740993']) {
      await create('Rex', each);
    }
    const restored = await snapshot();

    expect(await compareTables(restored, live)).toEqual({
      restoredItems: 3,
      liveItems: 3,
      equalItems: 3,
      missing: [],
      different: [],
      liveAlone: [],
      restoredCounter: 3n,
      highestId: 3n,
    });
  });

  it('tells lost pets, damaged ones and those of the live table alone apart', async () => {
    for (const name of ['Rex', 'Mia', 'Tom']) await create(name);
    const restored = await snapshot();
    await create('Bo');
    await deleteItem('PET#1');
    await storeItem({ pk: 'PET#2', id: 2n });

    expect(await compareTables(restored, live)).toMatchObject({
      equalItems: 1,
      missing: ['PET#1'],
      different: ['PET#2'],
      liveAlone: ['PET#4'],
      restoredCounter: 3n,
      highestId: 4n,
    });
  });

  it.each([
    ['the last digit of a number beyond 2^53', { categoryId: 9007199254740992n }],
    ['an attribute that no answer shows', { token: 'another' }],
  ])('sees a difference in %s', async (_, change) => {
    await create('Rex', '9007199254740993');
    const restored = await snapshot();
    const [item] = (await storedItems()).filter(({ pk }) => pk === 'PET#1');
    await storeItem({ pk: 'PET#1', ...item, ...change });

    expect((await compareTables(restored, live)).different).toEqual(['PET#1']);
  });

  it('does not mind the order of pages, items and attributes', async () => {
    const one = paged([pet(1), pet(2)], [], [counter('9'), pet(10), pet(3, 'Mia')]);
    const other = paged(
      [pet(3, 'Tom')],
      [pet(10)],
      [{ name: { S: 'Rex' }, pk: { S: 'PET#2' } }],
      [pet(1), counter('12')],
    );

    expect(await compareTables(one, other)).toMatchObject({
      restoredItems: 4,
      liveItems: 4,
      equalItems: 3,
      different: ['PET#3'],
      highestId: 12n,
    });
  });

  it('lists ids in their own order', async () => {
    const restored = paged([pet(10), pet(9), pet(100), counter('100')]);

    expect((await compareTables(restored, paged([]))).missing).toEqual([
      'PET#9',
      'PET#10',
      'PET#100',
    ]);
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

describe('scanTable', () => {
  it('waits between pages, so that the service finds something left of the ceiling', async () => {
    vi.spyOn(performance, 'now').mockReturnValue(0);
    const table = { ...paged([pet(1)], [pet(2)]), readUnitsPerSecond: 64 };

    for await (const items of scanTable(table)) expect(items).toHaveLength(1);

    expect(vi.mocked(setTimeout).mock.calls).toEqual([[2000], [2000]]);
  });
});

describe('awaitRestorable', () => {
  const moment = new Date('2026-11-20T16:00:00Z');
  const answers = (...recoveries: object[]) => {
    const send = vi.fn(async () => ({
      ContinuousBackupsDescription: { PointInTimeRecoveryDescription: recoveries.shift() },
    }));
    return { tableName: 'pets', client: { send } as unknown as DynamoDBClient };
  };
  const upTo = (time: string) => ({
    PointInTimeRecoveryStatus: 'ENABLED',
    LatestRestorableDateTime: new Date(`2026-11-20T${time}Z`),
  });

  it('waits until the moment can be restored', async () => {
    const table = answers(upTo('15:59:40'), upTo('15:59:59'), upTo('16:00:00'));

    await awaitRestorable(table, moment);

    expect(table.client.send).toHaveBeenCalledTimes(3);
    expect(setTimeout).toHaveBeenCalledTimes(2);
  });

  it('throws where the table has no point-in-time recovery', async () => {
    const table = answers({ PointInTimeRecoveryStatus: 'DISABLED' });

    await expect(awaitRestorable(table, moment)).rejects.toThrow('no point-in-time recovery');
  });

  it('gives up after half an hour', async () => {
    const table = answers(...Array.from({ length: 100 }, () => upTo('15:00:00')));

    await expect(awaitRestorable(table, moment)).rejects.toThrow('cannot be restored to');
  });
});

describe('findHighestId', () => {
  it.each([
    ['a pet', [pet(7), counter('5')], 7n],
    ['the counter', [pet(7), counter('9')], 9n],
    ['a pet, where the counter is damaged', [pet(7), { pk: { S: 'COUNTER' } }], 7n],
    ['none, in an empty table', [], 0n],
  ])('is that of %s', async (_, items, highestId) => {
    expect(await findHighestId(paged(items))).toBe(highestId);
  });
});

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
