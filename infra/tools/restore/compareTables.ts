import { hash } from 'node:crypto';
import { counterKey, type Item, idOf, keyOf, petIdOf, scanTable, type Table } from './scanTable.ts';

/** The differences between a restored table and the live one, as keys of pets. */
type Comparison = {
  equalPets: number;
  /** Only in the restored table: lost since. */
  missing: string[];
  /** In both tables with different attributes: damaged since, because a pet never changes. */
  different: string[];
  /** Only in the live table: created since, or not restored. */
  onlyLive: string[];
  restoredCounter: bigint;
  /** The highest id of a pet or a counter in either table. */
  highestId: bigint;
};

/** Keys that the live table held before the moment of the restore. */
type EarlierKeys = ReadonlySet<string>;

type Side = 'restored' | 'live';

const maxShownIds = 20;

/**
 * Compares every attribute of every pet in a restored table and the live one.
 *
 * Both tables are read once, in parallel. DynamoDB returns equal keys of two tables in the same
 * order, so few digests wait in memory for their counterpart. Another order costs memory, not
 * correctness.
 */
export async function compareTables(restored: Table, live: Table): Promise<Comparison> {
  /** Digests by key, of the pets that only one side has returned so far. */
  const unmatched = { restored: new Map<string, string>(), live: new Map<string, string>() };
  const different: string[] = [];
  let equalPets = 0;
  let restoredCounter = 0n;
  let highestId = 0n;

  for await (const [side, item] of scanBoth({ restored, live })) {
    const id = idOf(item);
    if (id > highestId) highestId = id;
    const key = keyOf(item);
    if (key === counterKey.pk.S) {
      if (side === 'restored') restoredCounter = id;
      continue;
    }
    const digest = digestOf(item);
    const others = unmatched[side === 'live' ? 'restored' : 'live'];
    const other = others.get(key);
    others.delete(key);
    if (other === undefined) unmatched[side].set(key, digest);
    else if (other === digest) equalPets += 1;
    else different.push(key);
  }

  return {
    equalPets,
    missing: [...unmatched.restored.keys()].sort(byId),
    different: different.sort(byId),
    onlyLive: [...unmatched.live.keys()].sort(byId),
    restoredCounter,
    highestId,
  };
}

/** Returns whether the live table has every restored pet and, given earlier keys, the reverse. */
export function isComplete(comparison: Comparison, earlierKeys?: EarlierKeys): boolean {
  const { missing, different } = comparison;
  return missing.length + different.length + notRestored(comparison, earlierKeys).length === 0;
}

/** Describes a comparison in a few lines. Of a pet, they contain only the id. */
export function comparisonText(comparison: Comparison, earlierKeys?: EarlierKeys): string {
  const { equalPets, missing, different, onlyLive } = comparison;
  const inBoth = equalPets + different.length;
  const lost = notRestored(comparison, earlierKeys);
  const rows: [string, number, readonly string[]][] = [
    ['equal', equalPets, []],
    ['missing in the live table', missing.length, missing],
    ['different in the live table', different.length, different],
  ];
  if (earlierKeys) {
    rows.push(['created since', onlyLive.length - lost.length, []]);
    rows.push(['not restored', lost.length, lost]);
  } else {
    rows.push(['only in the live table', onlyLive.length, onlyLive]);
  }
  return [
    `Compared ${inBoth + missing.length} restored pets with ${inBoth + onlyLive.length} live ones:`,
    ...rows.map(([name, count, keys]) => `  ${name.padEnd(28)}${count}${idList(keys)}`),
  ].join('\n');
}

/** Yields the items of both tables, alternating page by page. */
async function* scanBoth(tables: Record<Side, Table>): AsyncGenerator<[Side, Item]> {
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

/** A digest of all attributes, in any order. */
function digestOf(item: Item): string {
  const attributes = Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1));
  return hash('sha256', JSON.stringify(attributes), 'base64');
}

function byId(a: string, b: string): number {
  return (petIdOf(a) ?? 0n) < (petIdOf(b) ?? 0n) ? -1 : 1;
}

function notRestored({ onlyLive }: Comparison, earlierKeys?: EarlierKeys): string[] {
  return onlyLive.filter((key) => earlierKeys?.has(key));
}

function idList(keys: readonly string[]): string {
  if (keys.length === 0) return '';
  const shown = keys.slice(0, maxShownIds).map((key) => petIdOf(key) ?? key);
  return `: ${shown.join(', ')}${keys.length > maxShownIds ? ', …' : ''}`;
}
