import { assertServiceResponds } from '../../lib/assertServiceResponds.ts';
import { timeouts } from '../../lib/config.ts';

const { BASE_ADDRESS = '', STAGE = '' } = process.env;

/** Runs every five minutes, and fails if clients would not get the responses that the service promises. */
export async function handler(): Promise<void> {
  const signal = AbortSignal.timeout(timeouts.heartbeatRequestsMs);
  const send = (path: string, headers: Record<string, string>) =>
    fetch(`${BASE_ADDRESS}${path}`, {
      // Lambda freezes the function between the runs, so a connection of the last run may be dead.
      headers: { ...headers, Connection: 'close' },
      redirect: 'error',
      signal,
    });
  await assertServiceResponds(send, STAGE);
}
