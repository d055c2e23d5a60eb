import { createHash } from 'node:crypto';
import { scanTable } from './scanTable.ts';
import { counterKey, highestIdOf, type Item, idOf, keyOf, type Table } from './Table.ts';

/** What a restored table and the live one have in common, by the keys of their items. */
export type Comparison = {
  restoredItems: number;
  liveItems: number;
  equalItems: number;
  /** In the restored table alone: lost since. */
  missing: string[];
  /** In both, and not the same: damaged since, because a pet never changes. */
  different: string[];
  /** In the live table alone: created since, or not restored. */
  liveAlone: string[];
  restoredCounter: bigint;
  /** The highest id that one of the tables, or of their counters, knows. */
  highestId: bigint;
};

type Side = 'restored' | 'live';

/**
 * Compares a restored table with the live one, each item with all of its attributes.
 *
 * Both are read once, side by side. DynamoDB goes through tables with the same keys in the same
 * order, so what waits for its counterpart is little; were the order another one, it would be a key
 * and a digest for each item of a table.
 */
export async function compareTables(restored: Table, live: Table): Promise<Comparison> {
  const itemCounts = { restored: 0, live: 0 };
  /** Digests by key, of what one side has shown and the other not yet. */
  const unmatched = { restored: new Map<string, string>(), live: new Map<string, string>() };
  const different: string[] = [];
  let equalItems = 0;
  let restoredCounter = 0n;
  let highestId = 0n;

  for await (const [side, item] of itemsInStep({ restored, live })) {
    const id = highestIdOf(item);
    if (id > highestId) highestId = id;
    const key = keyOf(item);
    if (key === counterKey.pk.S) {
      if (side === 'restored') restoredCounter = id;
      continue;
    }
    itemCounts[side] += 1;
    const digest = digestOf(item);
    const others = unmatched[side === 'live' ? 'restored' : 'live'];
    const other = others.get(key);
    others.delete(key);
    if (other === undefined) unmatched[side].set(key, digest);
    else if (other === digest) equalItems += 1;
    else different.push(key);
  }

  return {
    restoredItems: itemCounts.restored,
    liveItems: itemCounts.live,
    equalItems,
    missing: [...unmatched.restored.keys()].sort(byId),
    different: different.sort(byId),
    liveAlone: [...unmatched.live.keys()].sort(byId),
    restoredCounter,
    highestId,
  };
}

/** Yields the items of both tables, a page of each at a time. */
async function* itemsInStep(tables: Record<Side, Table>): AsyncGenerator<[Side, Item]> {
  let scans = (['restored', 'live'] as const).map(
    (side) => [side, scanTable(tables[side])] as const,
  );
  while (scans.length > 0) {
    const pages = await Promise.all(scans.map(([, scan]) => scan.next()));
    for (const [index, [side]] of scans.entries()) {
      for (const item of pages[index]?.value ?? []) yield [side, item];
    }
    scans = scans.filter((_, index) => !pages[index]?.done);
  }
}

/** Of every attribute, whatever their order: numbers are digits here, so none is lost. */
function digestOf(item: Item): string {
  const attributes = Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(attributes)).digest('base64');
}

function byId(a: string, b: string): number {
  return (idOf(a) ?? 0n) < (idOf(b) ?? 0n) ? -1 : 1;
}
