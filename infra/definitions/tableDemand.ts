import { operationEntries, type TableAccess } from '../../lib/operations.ts';
import { apiMethods } from './apiMethods.ts';

/** The share of an operation's limit that each method of the fallback gets. */
export const otherShare = 0.1;

type Units = { readUnits: number; writeUnits: number };

/** The most capacity units that a call takes: a page of 100 typical items of a shard, or the largest item. */
const callUnits: Record<TableAccess['action'], Units> = {
  GetItem: { readUnits: 1, writeUnits: 0 },
  Query: { readUnits: 5, writeUnits: 0 },
  PutItem: { readUnits: 0, writeUnits: 2 },
  UpdateItem: { readUnits: 0, writeUnits: 2 },
  DeleteItem: { readUnits: 0, writeUnits: 2 },
};

/** Returns the units per second of the busiest table while every method is at its limit. */
export function tableDemand(requestsPerSecond: number, shards: number): Units {
  const unitsOf = (action: TableAccess['action']): Units => {
    const { readUnits, writeUnits } = callUnits[action];
    // A list reads a page of every shard.
    return { readUnits: action === 'Query' ? readUnits * shards : readUnits, writeUnits };
  };
  const calls = operationEntries.flatMap(([, { access }]) => [...access]);
  const ofTables = [...Map.groupBy(calls, ({ table }) => table).values()];
  const busiest = (name: keyof Units) =>
    Math.max(
      ...ofTables.map((each) => each.reduce((sum, { action }) => sum + unitsOf(action)[name], 0)),
    );
  const fallbackMethods = apiMethods.filter(({ name }) => name === 'fallback').length;
  // Every function reads the key of a request.
  const keyReads = operationEntries.length + fallbackMethods * otherShare;
  return {
    readUnits: Math.ceil(requestsPerSecond * Math.max(busiest('readUnits'), keyReads)),
    writeUnits: Math.ceil(requestsPerSecond * busiest('writeUnits')),
  };
}
