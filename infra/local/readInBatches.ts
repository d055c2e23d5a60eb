import { ClassicLevel } from 'classic-level';

type Iterator = { nextv(size: number): Promise<unknown[]>; close(): Promise<void> };
type Level = { values(...options: unknown[]): Iterator };

/** The class of all LevelDB databases, on disk and in memory. */
const level = Object.getPrototypeOf(ClassicLevel.prototype) as Level;
const { values } = level;

const batchSize = 32;

/**
 * Lets dynalite read without leaving memory behind.
 *
 * At the end of a query or a scan it calls `return()`, which LevelDB's iterators do not have: each
 * stayed open for ever, with a snapshot of the database. And one that is read value by value makes room
 * for 1,000 at once, 64 KB outside the heap that a closed one keeps until it is collected.
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
