import { describe, expect, it, onTestFinished } from 'vitest';
import {
  largestItemBytes,
  readUnitsOfPage,
  tableCeiling,
  writeUnitsOfItem,
} from '../../../infra/core/tableCeiling.ts';
import { config } from '../../../lib/config.ts';
import { operationEntries, operations } from '../../../lib/operations.ts';
import { emptyTables, storedItems } from '../../helpers/database.ts';
import { preparationsOf } from '../../helpers/exampleRequests.ts';
import { largestPet } from '../../helpers/samplePets.ts';
import { sendExample } from '../../helpers/sendExample.ts';

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
    'is no less than the bytes of each item, of which one is the longest pet, after %s',
    async (name) => {
      await emptyTables();
      await sendExample('createPet', { body: largestPet });
      for (const each of [...preparationsOf(name), name]) {
        if (each !== 'createPet') await sendExample(each);
      }

      const items = await Promise.all(Object.values(config().tableNames).map(storedItems));

      const sizes = items.flat().map((item) => bytesOf(Object.entries(item).flat()));
      const message = 'see largestItemBytes in infra/core/tableCeiling.ts';
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

describe('tableCeiling', () => {
  const ceiling = () => tableCeiling({ operationThrottle: { requestsPerSecond: 1000 } });

  it('is enough for lists and creations of the largest pets, and hardly more', () => {
    setRows([
      ['listPets', operations.listPets],
      ['createPet', operations.createPet],
    ]);
    const [{ partitions }] = operations.listPets.access;
    // HEAD has a tenth of the rate in addition.
    const reads = 1100 * partitions * readUnitsOfPage(100);
    // The counter, and the pet in the table or its index.
    const writes = 1000 * (1 + writeUnitsOfItem);

    const { readUnits, writeUnits } = ceiling();

    expect(readUnits).toBeGreaterThanOrEqual(reads);
    expect(readUnits).toBeLessThan(reads + 1000);
    expect(writeUnits).toBeGreaterThanOrEqual(writes);
    expect(writeUnits).toBeLessThan(2 * writes);
  });

  it('is enough to read the API key of each request', () => {
    setRows([['createPet', operations.createPet]]);

    expect(ceiling().readUnits).toBeGreaterThanOrEqual(1000);
  });
});
