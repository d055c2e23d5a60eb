import { type Check, CheckFailure, CheckSkipped } from './Check.ts';

export type Outcome = {
  title: string;
  durationMs: number;
  /** Absent where the promise is kept. */
  trouble?: CheckFailure | CheckSkipped;
};

/**
 * Runs checks one after the other, in their order, because many look at what an earlier one added.
 *
 * Where the first one fails the others are not run: it asks whether there is a service at all.
 */
export async function* runChecks(checks: Check[]): AsyncGenerator<Outcome, void, undefined> {
  for (const [position, { title, run }] of checks.entries()) {
    const startedAtMs = performance.now();
    const trouble = await run().then(() => undefined, toTrouble);
    const durationMs = performance.now() - startedAtMs;
    yield { title, durationMs, ...(trouble && { trouble }) };
    if (position === 0 && trouble) return;
  }
}

/** A body of an unexpected shape makes a check stumble: that is the service's failure too. */
function toTrouble(error: unknown): CheckFailure | CheckSkipped {
  if (error instanceof CheckFailure || error instanceof CheckSkipped) return error;
  return new CheckFailure({ expected: 'an answer that can be read', got: String(error) });
}
