import { operationEntries, type TableAccess } from '../../lib/operations.ts';
import { apiMethods } from '../constructs/apiMethods.ts';

/** The share of an operation's limit that HEAD gets, and each method of the fallback. */
export const fallbackShare = 0.1;

type Units = { readUnits: number; writeUnits: number };

/** A page of 100 items of 120 bytes, eventually consistent: half a unit for each 4 KB. */
const readUnitsOfPage = 1.5;

/** Returns the capacity units that a call takes, with typical items of a list, or the largest item. */
function unitsOf(access: TableAccess): Units {
  switch (access.action) {
    case 'GetItem':
      return { readUnits: 1, writeUnits: 0 };
    case 'Query':
      return { readUnits: Math.ceil(access.partitions * readUnitsOfPage), writeUnits: 0 };
    default:
      return { readUnits: 0, writeUnits: 2 };
  }
}

/** Returns the units per second of the busiest table while every method is at its limit. */
export function tableDemand(requestsPerSecond: number): Units {
  const calls = operationEntries.flatMap(([, row]) =>
    row.access.map((access) => ({
      ...access,
      share: row.method === 'GET' ? 1 + fallbackShare : 1,
    })),
  );
  const ofTables = [...Map.groupBy(calls, ({ table }) => table).values()];
  const busiest = (name: keyof Units) =>
    Math.max(
      ...ofTables.map((each) =>
        each.reduce((sum, access) => sum + access.share * unitsOf(access)[name], 0),
      ),
    );
  const otherMethods = apiMethods().length - operationEntries.length;
  // Every function reads the key of a request.
  const keyReads = operationEntries.length + otherMethods * fallbackShare;
  return {
    readUnits: Math.ceil(requestsPerSecond * Math.max(busiest('readUnits'), keyReads)),
    writeUnits: Math.ceil(requestsPerSecond * busiest('writeUnits')),
  };
}
