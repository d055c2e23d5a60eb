import { vi } from 'vitest';

/**
 * Lets the next `count` timers of so many milliseconds end at once, unless the test ends before.
 *
 * Returns how many there were, when it is asked.
 */
export function shortenTimeouts(lengthMs: number, count: number): () => number {
  const { setTimeout } = globalThis;
  let shortened = 0;
  const shorten = (callback: () => void, ms?: number) => {
    if (ms !== lengthMs || shortened === count) return setTimeout(callback, ms);
    shortened += 1;
    return setTimeout(callback, 10);
  };
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(shorten as typeof setTimeout);
  return () => shortened;
}
