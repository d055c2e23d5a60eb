import { operationEntries, type TableAccess } from '../../lib/operations.ts';
import { limits } from '../../lib/schemas.ts';
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

/**
 * Returns the units per second of each table, and separately of each index: a limit on the bill.
 *
 * They are what the busiest table needs while every method is at its limit, rounded up to the next thousand. So
 * `operationThrottle` refuses requests first, and clients normally get 429 and not the 503 of a throttled table.
 */
export function tableCeiling({
  operationThrottle: { requestsPerSecond },
}: {
  operationThrottle: { requestsPerSecond: number };
}): Units {
  const calls = operationEntries.flatMap(([, { access, method }]) => {
    // A GET has a HEAD, which has the throttle of the fallback.
    const share = method === 'GET' ? 1 + fallbackThrottleShare : 1;
    return access.map((each) => ({ ...each, share }));
  });
  const callsByTable = [...Map.groupBy(calls, ({ table }) => table).values()];
  const busiest = (kind: keyof Units) =>
    Math.max(
      ...callsByTable.map((each) =>
        each.reduce((sum, access) => sum + access.share * unitsOf(access)[kind], 0),
      ),
    );
  const otherMethods = apiMethods().length - operationEntries.length;
  // Every function reads the key of a request.
  const keyReads = operationEntries.length + otherMethods * fallbackThrottleShare;
  const roundUp = (unitsOfRequest: number) =>
    1000 * Math.ceil((requestsPerSecond * unitsOfRequest) / 1000);
  return {
    readUnits: roundUp(Math.max(busiest('readUnits'), keyReads)),
    writeUnits: roundUp(busiest('writeUnits')),
  };
}
