import { operationEntries, type TableAccess } from '../lib/operations.ts';
import { limits } from '../lib/schemas.ts';
import { tables } from '../lib/tables.ts';
import { apiMethods, fallbackThrottleShare } from './apiMethods.ts';

type Units = { readUnits: number; writeUnits: number };

/** The most bytes of a stored item: a code point has up to 4, and the rest takes less than 240. */
export const largestItemBytes = 4 * limits.name.maxCodePoints + 240;

/** The units of a page, eventually consistent: half a unit for each started 4 KB. */
export function readUnitsOfPage(items: number): number {
  return Math.ceil((items * largestItemBytes) / 4096) / 2;
}

/** The units of a write: one for each started KB. */
export const writeUnitsOfItem = Math.ceil(largestItemBytes / 1024);

/** Returns the most capacity units of a call: for a page of the largest items, or for one of them. */
function unitsOf(access: TableAccess): Units {
  switch (access.action) {
    case 'GetItem':
      return { readUnits: 1, writeUnits: 0 };
    case 'Query':
      return { readUnits: access.partitions * readUnitsOfPage(limits.pageSize.max), writeUnits: 0 };
    default:
      return { readUnits: 0, writeUnits: writeUnitsOfItem };
  }
}

/** Every access that an operation uses, and the calls for each request of a method at its limit. */
function usedAccesses() {
  return operationEntries.flatMap(([, { access, method }]) => {
    const used = access.filter(({ isUnused }) => !isUnused);
    const reads = used.filter(({ action }) => action === 'GetItem').map(({ table }) => table);
    return used.map((each) => {
      if (method === 'GET') return { ...each, share: 1 + fallbackThrottleShare };
      // A change may move an item to another partition of an index, which then has two writes.
      const isChange = each.action === 'PutItem' && reads.includes(each.table);
      return { ...each, share: isChange ? 2 : 1 };
    });
  });
}

/** The units per second of one partition. A higher ceiling of its table does not raise them. */
export const partitionUnits: Units = { readUnits: 3000, writeUnits: 1000 };

/** Returns the most requests per second of an operation that one partition of each index serves. */
export function partitionRate(): number {
  const accesses = usedAccesses();
  const queries = accesses.filter((each) => each.action === 'Query');
  const ofIndexes = Map.groupBy(queries, ({ table, index }) => `${table} ${index}`);
  // All requests may be for the same partition, and for pages of the largest items.
  const readUnits = [...ofIndexes.values()].map((each) =>
    each.reduce((sum, { share }) => sum + share * readUnitsOfPage(limits.pageSize.max), 0),
  );
  // No UpdateItem writes an item that an index has: counters and records are in none.
  const writes = accesses.filter(
    ({ table, action }) => action === 'PutItem' && Object.keys(tables[table].indexes).length > 0,
  );
  const writeUnits = [...Map.groupBy(writes, ({ table }) => table).values()].map(
    ({ length }) => length * writeUnitsOfItem,
  );
  return Math.floor(
    Math.min(
      partitionUnits.readUnits / Math.max(0, ...readUnits),
      partitionUnits.writeUnits / Math.max(0, ...writeUnits),
    ),
  );
}

/** Returns the units per second of the busiest table while every method is at its limit. */
export function peakTableUnits(requestsPerSecond: number): Units {
  const calls = usedAccesses();
  const callsByTable = [...Map.groupBy(calls, ({ table }) => table).values()];
  const busiest = (name: keyof Units) =>
    Math.max(
      ...callsByTable.map((each) =>
        each.reduce((sum, access) => sum + access.share * unitsOf(access)[name], 0),
      ),
    );
  const otherMethods = apiMethods().length - operationEntries.length;
  // Every function reads the key of a request.
  const keyReads = operationEntries.length + otherMethods * fallbackThrottleShare;
  return {
    readUnits: Math.ceil(requestsPerSecond * Math.max(busiest('readUnits'), keyReads)),
    writeUnits: Math.ceil(requestsPerSecond * busiest('writeUnits')),
  };
}
