import type { Server } from 'node:http';
import { ClassicLevel } from 'classic-level';
import dynalite from 'dynalite';
import engine from 'dynalite/db/index.js';
import putItem from 'dynalite/validations/putItem.js';

// dynalite 4 has no maintainer. Each function works around one of its faults.

type Iterator = { nextv(size: number): Promise<unknown[]>; close(): Promise<void> };
type Level = { values(...options: unknown[]): Iterator };

/** The class of all LevelDB databases, on disk and in memory. */
const level = Object.getPrototypeOf(ClassicLevel.prototype) as Level;
const { values } = level;

const batchSize = 32;

/**
 * Starts dynalite and waits for its database. Throws LevelDB's error if the database cannot be opened.
 *
 * dynalite would drop that error and crash at the first request.
 */
export async function startDynalite(options: Parameters<typeof dynalite>[0]): Promise<Server> {
  const { create } = engine;
  let opened: Promise<void> | undefined;
  engine.create = (settings) => {
    const store = create(settings);
    opened = store.db.open();
    return store;
  };
  const server = dynalite(options);
  engine.create = create;
  await opened;
  return server;
}

/**
 * Makes dynalite release the memory of its reads.
 *
 * At the end of a query or a scan, dynalite calls `return()`, which LevelDB's iterators lack. So each iterator
 * would stay open with a snapshot of the database. Reading value by value would also reserve 64 KB outside
 * the heap, room for 1,000 values, until the iterator is collected.
 */
export function readInBatches(): void {
  level.values = function valuesInBatches(...options) {
    const iterator = values.apply(this, options);
    let batch: unknown[] = [];
    return Object.assign(iterator, {
      async next() {
        if (batch.length === 0) batch = await iterator.nextv(batchSize);
        return batch.shift();
      },
      return: () => iterator.close(),
    });
  };
}

/** Makes dynalite return the stored item that fails the condition of a put, if the put asks for it. */
export function returnItemOnFailedCondition(): void {
  const { types } = putItem;
  types.ReturnValuesOnConditionCheckFailure = { type: 'String', enum: ['ALL_OLD', 'NONE'] };
  const { checkConditional } = engine;
  engine.checkConditional = (data, stored) => {
    const error = checkConditional(data, stored);
    if (error && data.ReturnValuesOnConditionCheckFailure === 'ALL_OLD') error.body.Item = stored;
    return error;
  };
}
