import { setTimeout as wait } from 'node:timers/promises';

/** How the requests of one stretch of time were answered. */
export type Tally = {
  startedAfterSeconds: number;
  requests: number;
  /** Answers of 500 and above, and requests that were not answered at all. */
  failures: number;
};

type ProbeOptions = {
  /** Sends one request and says how it ended: a status, or 0 where there was no answer. */
  send: () => Promise<number>;
  everyMs: number;
  tallyEverySeconds: number;
  report: (tally: Tally) => void;
  /** Ends the probe. */
  signal: AbortSignal;
};

/**
 * Sends a request at a steady pace until it is stopped, and tallies how they are answered.
 *
 * A slow answer does not slow the pace: it would hide just the time in which the service is ill.
 */
export async function probeTraffic(options: ProbeOptions): Promise<Tally> {
  const { send, everyMs, tallyEverySeconds, report, signal } = options;
  const startedAtMs = performance.now();
  const total: Tally = { startedAfterSeconds: 0, requests: 0, failures: 0 };
  let current: Tally = { ...total };
  const underWay = new Set<Promise<void>>();

  const sendOne = async () => {
    const status = await send();
    for (const tally of [total, current]) {
      tally.requests += 1;
      if (status === 0 || status >= 500) tally.failures += 1;
    }
  };

  while (!signal.aborted) {
    const request = sendOne().finally(() => underWay.delete(request));
    underWay.add(request);
    await wait(everyMs, undefined, { signal }).catch(() => {});
    const elapsedSeconds = (performance.now() - startedAtMs) / 1000;
    if (elapsedSeconds - current.startedAfterSeconds >= tallyEverySeconds) {
      report(current);
      current = { startedAfterSeconds: elapsedSeconds, requests: 0, failures: 0 };
    }
  }
  await Promise.all(underWay);
  if (current.requests > 0) report(current);
  return total;
}
