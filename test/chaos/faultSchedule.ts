import { pick, seededRandom } from './seededRandom.ts';

/**
 * The faults of a connection with DynamoDB, as the service sees them.
 *
 * test/interleavings has the error responses of DynamoDB.
 */
export const faults = [
  'reset before the write',
  'reset after the write',
  'response after the time-out',
  'write after the time-out',
  'no response',
  '502 in HTML',
  'body cut off',
  'body cut short',
] as const;
export type Fault = (typeof faults)[number];

export type ScheduledFault = { fault: Fault | undefined; delayMs: number };

/** In quiet times the SDK's retries hide nearly every fault. In a storm they do not. */
const quietFaultRate = 0.15;
const stormFaultRate = 0.7;
const stormRate = 0.15;
const requestsPerStorm = 100;

/** Longer than the service's time-out for a call, 1500 ms. */
const minDelayMs = 1600;
const maxDelayMs = 2500;

/**
 * Returns the fault for the request that arrives as number `arrival`.
 *
 * A pure function: the same seed gives the same faults in the same order. Which request meets which
 * fault depends on the timing of the processes.
 */
export function faultSchedule(seed: number): (arrival: number) => ScheduledFault {
  function randomOf(stream: number, number: number) {
    return seededRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(2 * number + stream, 0x85ebca6b));
  }
  return function faultOf(arrival) {
    const isStorm = randomOf(0, Math.floor(arrival / requestsPerStorm))() < stormRate;
    const random = randomOf(1, arrival);
    const isFaulty = random() < (isStorm ? stormFaultRate : quietFaultRate);
    return {
      fault: isFaulty ? pick(random, faults) : undefined,
      delayMs: Math.round(minDelayMs + random() * (maxDelayMs - minDelayMs)),
    };
  };
}
