import { expect, it, vi } from 'vitest';
import { readPage } from '../../../lib/dynamodb/pages.ts';
import { requestContext } from '../../helpers/api.ts';
import { storeItems } from '../../helpers/database.ts';

// The contract suite and listPets.test.ts test lists by ascending id.

vi.mock(import('../../../lib/tables.ts'), async (importOriginal) => {
  const original = await importOriginal();
  Object.assign(original.tables.pets.indexes, {
    byWalker: {
      partitionKey: { name: 'walkerId', type: 'N' },
      sortKey: { name: 'walkedAt', type: 'S' },
    },
  });
  return original;
});

it('walks a list of several partitions by a text, in both orders', async () => {
  const days = ['2026-11-20', '2026-11-21', '2026-11-22', '2026-11-23', '2026-11-24'];
  await storeItems(
    days.map((walkedAt, n) => ({ pk: `WALK#${n}`, walkerId: BigInt(n % 2), walkedAt })),
  );
  const walk = async (order: 'ascending' | 'descending', limit: number) => {
    const list = {
      table: 'pets',
      index: 'byWalker',
      partitions: [0n, 1n],
      order,
      name: `walks ${order}`,
      toJson: (item: { walkedAt?: { S?: string } }) => JSON.stringify(item.walkedAt?.S),
    } as const;
    const pages: string[][] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const page: Awaited<ReturnType<typeof readPage>> = await readPage(
        list,
        { limit, cursor: cursor || undefined },
        requestContext,
      );
      pages.push(JSON.parse(page.json));
      cursor = page.nextCursor;
    }
    return pages;
  };

  expect(await walk('ascending', 2)).toEqual(
    [0, 2, 4].map((start) => days.slice(start, start + 2)),
  );
  const newestFirst = days.toReversed();
  expect(await walk('descending', 2)).toEqual(
    [0, 2, 4].map((start) => newestFirst.slice(start, start + 2)),
  );
});
