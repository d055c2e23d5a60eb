import { operationEntries, type TableAccess } from '../lib/operations.ts';
import { limits } from '../lib/schemas.ts';
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
