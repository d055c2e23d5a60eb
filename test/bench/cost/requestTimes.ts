import { readFileSync } from 'node:fs';
import type { MeasuredOperation } from '../requests.ts';

/** The results of `npm run bench:memory -- --write`. */
export const requestTimesFile = 'test/bench/cost/requestTimes.json';

/** The sizes of memory that are measured, in MB. Lambda gives a whole processor to the largest. */
export const memorySizes = [256, 512, 1_024, 1_769] as const;

export type Times = {
  initMs: number;
  firstMs: number;
  /** The median of later requests. */
  warmMs: number;
  /** The slowest of 20 later requests. */
  slowMs: number;
};

export type MeasuredTimes = Record<string, Record<MeasuredOperation, Times>>;

const measured: MeasuredTimes = JSON.parse(readFileSync(requestTimesFile, 'utf8'));

/** Returns the times with the largest measured size that the memory covers. */
export function timesOf(operation: MeasuredOperation, memoryMb: number): Times {
  const size = memorySizes.findLast((each) => each <= memoryMb) ?? memorySizes[0];
  const times = measured[size];
  if (!times) throw new Error(`${requestTimesFile} has no times with ${size} MB.`);
  return times[operation];
}
