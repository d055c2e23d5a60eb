import { describe, expect, it, onTestFinished } from 'vitest';
import { largestItemBytes, peakTableUnits, writeUnitsOfItem } from '../../infra/peakTableUnits.ts';
import { config } from '../../lib/config.ts';
import { operationEntries, operations } from '../../lib/operations.ts';
import { emptyTables, storedItems } from '../helpers/database.ts';
import { preparationsOf } from '../helpers/exampleRequests.ts';
import { largestPet } from '../helpers/samplePets.ts';
import { sendExample } from '../helpers/sendExample.ts';

const unitsOfPage = Math.ceil((100 * largestItemBytes) / 4096) / 2;

/** The bytes of 19 digits instead of one, in a key and as a number. */
const longestIdBytes = 18 + 9;

/** The bytes of a stored value by the rules of DynamoDB. A number has one for each two digits, and one more. */
function bytesOf(value: unknown): number {
  if (typeof value === 'bigint') return 2 + String(value).length / 2;
  if (Array.isArray(value)) return 3 + value.reduce((sum, each) => sum + 1 + bytesOf(each), 0);
  return typeof value === 'string' ? Buffer.byteLength(value) : 1;
}

describe('largestItemBytes', () => {
  it.each(operationEntries.filter(([, { method }]) => method !== 'GET'))(
    'is no less than the bytes of a pet with the longest values after %s',
    async (name) => {
      await emptyTables();
      for (const each of [...preparationsOf(name), name]) {
        await sendExample(each, each === 'createPet' ? { body: largestPet } : {});
      }

      const items = await Promise.all(Object.values(config().tableNames).map(storedItems));

      const sizes = items.flat().map((item) => bytesOf(Object.entries(item).flat()));
      const message = 'see largestItemBytes in infra/peakTableUnits.ts';
      expect(Math.max(...sizes), message).toBeGreaterThan(4 * 255);
      expect(Math.max(...sizes) + longestIdBytes, message).toBeLessThanOrEqual(largestItemBytes);
    },
  );
});

type Rows = typeof operationEntries;

/** Lets a test have only these operations. */
function setRows(rows: Rows): void {
  const all = operationEntries.splice(0, Infinity, ...rows);
  onTestFinished(() => void operationEntries.splice(0, Infinity, ...all));
}

describe('peakTableUnits', () => {
  it('is enough for lists and creations of the largest pets', () => {
    const { readUnits, writeUnits } = peakTableUnits(100);

    expect(readUnits).toBeGreaterThanOrEqual(
      100 * operations.listPets.access[0].partitions * unitsOfPage,
    );
    // The counter, and the pet in the table or its index.
    expect(writeUnits).toBeGreaterThanOrEqual(100 * (1 + writeUnitsOfItem));
  });

  it('has two writes for a change, which may move a pet in an index', () => {
    const access = (['GetItem', 'PutItem'] as const).map(
      (action) => ({ table: 'pets', action }) as const,
    );
    setRows([['createPet', { ...operations.createPet, access }]]);

    expect(peakTableUnits(100).writeUnits).toBe(100 * 2 * writeUnitsOfItem);
  });
});
