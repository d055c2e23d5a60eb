import { pick, seededRandom } from './seededRandom.ts';

/** What may become of one request to DynamoDB, from the service's side. */
export const faults = [
  'reset before the write',
  'reset after the write',
  'answer after the time-out',
  'write after the time-out',
  'no answer',
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  '500 before the write',
  '500 after the write',
  '503 before the write',
  '502 in HTML',
  'body cut off',
  'body cut short',
] as const;
export type Fault = (typeof faults)[number];

export type ScheduledFault = { fault: Fault | undefined; delayMs: number };

/** In quiet times the SDK's own attempts get over nearly every fault; in a storm they do not. */
const quietFaultRate = 0.15;
const stormFaultRate = 0.7;
const stormRate = 0.15;
const requestsAStorm = 100;

/** Beyond the 1500 ms that the service gives a call. */
const leastDelayMs = 1600;
const mostDelayMs = 2500;

/**
 * Says what becomes of the request that arrives as number `arrival`.
 *
 * A pure function: the same seed has the same faults in the same order, whatever else happens. Which
 * request meets which of them is up to the timing of the processes.
 */
export function faultSchedule(seed: number): (arrival: number) => ScheduledFault {
  function randomOf(stream: number, number: number) {
    return seededRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(2 * number + stream, 0x85ebca6b));
  }
  return function faultOf(arrival) {
    const isStorm = randomOf(0, Math.floor(arrival / requestsAStorm))() < stormRate;
    const random = randomOf(1, arrival);
    const isFaulty = random() < (isStorm ? stormFaultRate : quietFaultRate);
    return {
      fault: isFaulty ? pick(random, faults) : undefined,
      delayMs: Math.round(leastDelayMs + random() * (mostDelayMs - leastDelayMs)),
    };
  };
}
