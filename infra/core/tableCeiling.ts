import { operationEntries, type TableAccess } from '../../lib/operations.ts';
import { limits } from '../../lib/schemas.ts';
import { apiMethods, fallbackThrottleShare } from './apiMethods.ts';

type Units = { readUnits: number; writeUnits: number };

/** Returns the units of a call, if an item has 1 KB: a write takes one, and an item of a list an eighth of one. */
function unitsOf(access: TableAccess): Units {
  switch (access.action) {
    case 'GetItem':
      return { readUnits: 1, writeUnits: 0 };
    case 'Query':
      return { readUnits: (access.partitions * limits.pageSize.max) / 8, writeUnits: 0 };
    default:
      return { readUnits: 0, writeUnits: 1 };
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
