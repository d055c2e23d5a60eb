import { ClassicLevel } from 'classic-level';
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
 * Makes dynalite release the memory of its reads.
 *
 * At the end of a query or a scan it calls `return()`, which LevelDB's iterators lack. Each stayed
 * open with a snapshot of the database. Reading value by value also reserves room for 1,000 values,
 * 64 KB outside the heap, until the iterator is collected.
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
export function returnFailedItems(): void {
  const { types } = putItem;
  types.ReturnValuesOnConditionCheckFailure = { type: 'String', enum: ['ALL_OLD', 'NONE'] };
  const { checkConditional } = engine;
  engine.checkConditional = (data, stored) => {
    const error = checkConditional(data, stored);
    if (error && data.ReturnValuesOnConditionCheckFailure === 'ALL_OLD') error.body.Item = stored;
    return error;
  };
}
