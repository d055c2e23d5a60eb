import { setTimeout } from 'node:timers/promises';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { compareTables } from '../../infra/tools/restore/compareTables.ts';
import {
  findHighestId,
  type Item,
  scanTable,
  type Table,
} from '../../infra/tools/restore/scanTable.ts';
import { emptyStore, storedItems, storeItem } from '../helpers/database.ts';
import { create, live, snapshot } from '../helpers/petTables.ts';

vi.mock('node:timers/promises', () => ({ setTimeout: vi.fn(async () => {}) }));

/** A table that is read in these pages. */
function paged(...pages: Item[][]): Table {
  const send = async ({ input }: { input: { ExclusiveStartKey?: Item } }) => {
    const page = Number(input.ExclusiveStartKey?.page?.N ?? 0);
    const isLast = page === pages.length - 1;
    const nextKey = { page: { N: String(page + 1) } };
    const ConsumedCapacity = { CapacityUnits: 128 };
    return { Items: pages[page], ConsumedCapacity, ...(!isLast && { LastEvaluatedKey: nextKey }) };
  };
  return { ...live, client: { send } as unknown as DynamoDBClient };
}

const pet = (id: number, name = 'Rex'): Item => ({ pk: { S: `PET#${id}` }, name: { S: name } });
const counter = (lastId: string): Item => ({ pk: { S: 'COUNTER' }, lastId: { N: lastId } });

beforeEach(() => {
  vi.mocked(setTimeout).mockClear();
});

describe('compareTables', () => {
  it.each([
    ['the last digit of a number beyond 2^53', { categoryId: 9007199254740992n }],
    ['an attribute that no response shows', { token: 'another' }],
  ])('sees a difference in %s', async (_, change) => {
    await emptyStore();
    await create('Rex', '9007199254740993');
    const restored = await snapshot();
    const [item] = (await storedItems()).filter(({ pk }) => pk === 'PET#1');
    await storeItem({ pk: 'PET#1', ...item, ...change });

    expect((await compareTables(restored, live)).different).toEqual(['PET#1']);
  });

  it('ignores the pets of a release check', async () => {
    await emptyStore();
    await create('Rex', '7');
    await storeItem({ pk: 'PET#release-check#1', id: 1n, name: 'release check' });
    const restored = await snapshot();
    await emptyStore();
    await create('Rex', '7');

    // The second Rex has another token.
    expect(await compareTables(restored, live)).toMatchObject({
      equalPets: 0,
      missing: [],
      different: ['PET#1'],
      onlyLive: [],
    });
  });

  it('ignores the order of pages, items and attributes', async () => {
    const restored = paged([pet(1), pet(2)], [], [counter('9'), pet(10), pet(3, 'Mia')]);
    const reordered = paged(
      [pet(3, 'Tom')],
      [pet(10)],
      [{ name: { S: 'Rex' }, pk: { S: 'PET#2' } }],
      [pet(1), counter('12')],
    );

    expect(await compareTables(restored, reordered)).toEqual({
      equalPets: 3,
      missing: [],
      different: ['PET#3'],
      onlyLive: [],
      restoredCounter: 9n,
      highestId: 12n,
    });
  });

  it('sorts pets by id', async () => {
    const restored = paged([pet(10), pet(9), pet(100), counter('100')]);

    const { missing } = await compareTables(restored, paged([]));

    expect(missing).toEqual(['PET#9', 'PET#10', 'PET#100']);
  });
});

describe('scanTable', () => {
  it('waits between pages, so that the service keeps its share of the read ceiling', async () => {
    vi.spyOn(performance, 'now').mockReturnValue(0);
    const table = { ...paged([pet(1)], [pet(2)]), readUnitsPerSecond: 64 };

    for await (const items of scanTable(table)) expect(items).toHaveLength(1);

    expect(vi.mocked(setTimeout).mock.calls).toEqual([[2000], [2000]]);
  });
});

describe('findHighestId', () => {
  it.each([
    ['the id of a pet', [pet(7), counter('5')], 7n],
    ['the last id of the counter', [pet(7), counter('9')], 9n],
    ['the id of a pet if the counter is damaged', [pet(7), { pk: { S: 'COUNTER' } }], 7n],
    ['0 for an empty table', [], 0n],
  ])('returns %s', async (_, items, highestId) => {
    expect(await findHighestId(paged(items))).toBe(highestId);
  });
});
