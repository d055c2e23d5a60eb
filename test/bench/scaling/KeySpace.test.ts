import { describe, expect, it } from 'vitest';
import { KeySpace, type Place } from './KeySpace.ts';

const noQuota = { read: Number.POSITIVE_INFINITY, write: Number.POSITIVE_INFINITY };

/** Asks for so many units a second, each at the next place, and returns what the last second gave. */
function lastSecond(
  space: KeySpace,
  units: number,
  nextPlace: () => Place,
  access: 'read' | 'write' = 'write',
): number {
  let taken = 0;
  for (let second = 0; second < 30; second += 1) {
    taken = 0;
    for (let unit = 0; unit < units; unit += 1) {
      const place = nextPlace();
      if (!space.hasRoom(place, access, 1)) continue;
      space.take(place, access, 1);
      taken += 1;
    }
    space.endSecond();
  }
  return taken;
}

/** A key of its own each time, spread evenly. */
function manyKeys(): () => Place {
  let n = 0;
  return () => {
    n += 1;
    return { hash: (n * 0.618033988749895) % 1, sortKey: 0 };
  };
}

/** Keys of `shards` partition keys in turn, with a sort key that only grows. */
function growingKeys(shards: number): () => Place {
  let n = 0;
  return () => {
    n += 1;
    return { hash: (n % shards) / shards, sortKey: n };
  };
}

describe('KeySpace', () => {
  it.each([
    ['write', 1_000],
    ['read', 3_000],
  ] as const)('gives one hot item no more than a partition has: of %s units %i', (access, most) => {
    const space = new KeySpace({ quota: noQuota });

    expect(lastSecond(space, 5_000, () => ({ hash: 0.3, sortKey: 7 }), access)).toBe(most);
    expect(space.partitionCount).toBe(4);
  });

  it('splits for heat where many keys share a partition', () => {
    const space = new KeySpace({ quota: noQuota, partitions: 1 });

    expect(lastSecond(space, 5_000, manyKeys())).toBe(5_000);
    expect(space.partitionCount).toBeGreaterThan(5);
  });

  it('splits between the sort keys of one partition key, where each is asked for alike', () => {
    let n = 0;
    const sameKeysAgain = () => {
      n += 1;
      return { hash: 0.3, sortKey: n % 100 };
    };

    expect(lastSecond(new KeySpace({ quota: noQuota }), 2_500, sameKeysAgain)).toBe(2_500);
  });

  it('gains nothing from splits where the sort key only grows', () => {
    const space = new KeySpace({ quota: noQuota });

    expect(lastSecond(space, 5_000, growingKeys(1))).toBeLessThanOrEqual(1_000);
    expect(space.partitionCount).toBeGreaterThan(4);
  });

  it.each([2, 3, 5])(
    'gives growing sort keys of %i partition keys so many times more',
    (shards) => {
      expect(lastSecond(new KeySpace({ quota: noQuota }), 9_000, growingKeys(shards))).toBe(
        shards * 1_000,
      );
    },
  );

  it('gives a new table 4,000 writes before it has split', () => {
    const space = new KeySpace({ quota: noQuota });
    const nextPlace = manyKeys();
    let taken = 0;

    for (let unit = 0; unit < 8_000; unit += 1) {
      const place = nextPlace();
      if (!space.hasRoom(place, 'write', 1)) continue;
      space.take(place, 'write', 1);
      taken += 1;
    }

    expect(taken).toBe(4_000);
  });

  it('gives a table no more than its quota, however many partitions it has', () => {
    const space = new KeySpace({ quota: { read: 100, write: 2_000 }, partitions: 8 });

    expect(lastSecond(space, 5_000, manyKeys())).toBe(2_000);
  });
});
