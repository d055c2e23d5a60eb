import { setTimeout } from 'node:timers/promises';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { compareTables } from '../../infra/tools/restore/compareTables.ts';
import { findHighestId } from '../../infra/tools/restore/findHighestId.ts';
import { scanTable } from '../../infra/tools/restore/scanTable.ts';
import type { Item, Table } from '../../infra/tools/restore/Table.ts';
import { deleteItem, emptyStore, storedItems, storeItem } from '../helpers/database.ts';
import { create, live, snapshot } from '../helpers/petTables.ts';

vi.mock('node:timers/promises', () => ({ setTimeout: vi.fn(async () => {}) }));

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

describe('scanTable', () => {
  it('waits between pages, so that the service finds something left of the ceiling', async () => {
    vi.spyOn(performance, 'now').mockReturnValue(0);
    const table = { ...paged([pet(1)], [pet(2)]), readUnitsPerSecond: 64 };

    for await (const items of scanTable(table)) expect(items).toHaveLength(1);

    expect(vi.mocked(setTimeout).mock.calls).toEqual([[2000], [2000]]);
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
