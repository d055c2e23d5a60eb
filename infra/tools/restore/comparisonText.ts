import type { Comparison } from './compareTables.ts';
import { idOf } from './Table.ts';

const shownIds = 20;

/** Whether the restored table has all that was there at its moment, and the live one all of it still. */
export function isComplete({ missing, different, unrestored }: Comparison): boolean {
  return missing.length + different.length + unrestored.length === 0;
}

/** Says in a few lines what a comparison found, with ids and nothing else of a pet. */
export function comparisonText(comparison: Comparison): string {
  const { restoredItems, liveItems, equalItems, missing, different, newer, unrestored } =
    comparison;
  const rows: [string, number, readonly string[]][] = [
    ['equal', equalItems, []],
    ['missing in the live table', missing.length, missing],
    ['different in the live table', different.length, different],
    ['created since', newer.length, []],
    ['not restored', unrestored.length, unrestored],
  ];
  return [
    `Compared ${restoredItems} restored pets with ${liveItems} live ones:`,
    ...rows.map(([name, count, keys]) => `  ${name.padEnd(28)}${count}${idList(keys)}`),
  ].join('\n');
}

function idList(keys: readonly string[]): string {
  if (keys.length === 0) return '';
  const shown = keys.slice(0, shownIds).map((key) => idOf(key) ?? key);
  return `: ${shown.join(', ')}${keys.length > shownIds ? ', …' : ''}`;
}
