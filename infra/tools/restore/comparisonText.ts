import type { Comparison } from './compareTables.ts';
import { idOf } from './Table.ts';

const shownIds = 20;

/** Keys that the live table held before the moment that was restored, where somebody noted them. */
type KeysBefore = ReadonlySet<string>;

/** Whether the live table has all that the restored one has, and that one all that it should have. */
export function isComplete(comparison: Comparison, keysBefore?: KeysBefore): boolean {
  const { missing, different } = comparison;
  return missing.length + different.length + unrestored(comparison, keysBefore).length === 0;
}

/** Says in a few lines what a comparison found, with ids and nothing else of a pet. */
export function comparisonText(comparison: Comparison, keysBefore?: KeysBefore): string {
  const { restoredItems, liveItems, equalItems, missing, different, liveAlone } = comparison;
  const notRestored = unrestored(comparison, keysBefore);
  const rows: [string, number, readonly string[]][] = [
    ['equal', equalItems, []],
    ['missing in the live table', missing.length, missing],
    ['different in the live table', different.length, different],
    ['created since', liveAlone.length - notRestored.length, []],
    ['not restored', notRestored.length, notRestored],
  ];
  // Nobody knows then when the pets of the live table alone were created.
  if (!keysBefore) rows.splice(3, 2, ['in the live table alone', liveAlone.length, liveAlone]);
  return [
    `Compared ${restoredItems} restored pets with ${liveItems} live ones:`,
    ...rows.map(([name, count, keys]) => `  ${name.padEnd(28)}${count}${idList(keys)}`),
  ].join('\n');
}

function unrestored({ liveAlone }: Comparison, keysBefore?: KeysBefore): string[] {
  return liveAlone.filter((key) => keysBefore?.has(key));
}

function idList(keys: readonly string[]): string {
  if (keys.length === 0) return '';
  const shown = keys.slice(0, shownIds).map((key) => idOf(key) ?? key);
  return `: ${shown.join(', ')}${keys.length > shownIds ? ', …' : ''}`;
}
