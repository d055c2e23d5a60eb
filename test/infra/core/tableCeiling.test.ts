import { describe, expect, it, onTestFinished } from 'vitest';
import { tableCeiling } from '../../../infra/core/tableCeiling.ts';
import { operationEntries, operations } from '../../../lib/operations.ts';
import { limits } from '../../../lib/schemas.ts';

type Rows = typeof operationEntries;

/** Lets a test have only these operations. */
function setRows(rows: Rows): void {
  const all = operationEntries.splice(0, Infinity, ...rows);
  onTestFinished(() => void operationEntries.splice(0, Infinity, ...all));
}

describe('tableCeiling', () => {
  const ceiling = () => tableCeiling({ operationThrottle: { requestsPerSecond: 1000 } });

  it('is enough for lists and creations of pets of 1 KB, and hardly more', () => {
    setRows([
      ['listPets', operations.listPets],
      ['createPet', operations.createPet],
    ]);
    const [{ partitions }] = operations.listPets.access;
    // HEAD has a tenth of the rate in addition. A page of 100 takes half a unit for each of its 25 times 4 KB.
    const reads = 1100 * partitions * (limits.pageSize.max / 100) * 12.5;
    // The counter, and the pet in the table or its index.
    const writes = 1000 * 2;

    const { readUnits, writeUnits } = ceiling();

    expect(readUnits).toBeGreaterThanOrEqual(reads);
    expect(readUnits).toBeLessThan(reads + 1000);
    expect(writeUnits).toBe(writes);
  });

  it('is enough to read the API key of each request', () => {
    setRows([['createPet', operations.createPet]]);

    expect(ceiling().readUnits).toBeGreaterThanOrEqual(1000);
  });
});
