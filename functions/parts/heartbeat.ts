import { assertServiceResponds } from '../../lib/assertServiceResponds.ts';

/** For both requests together. infra/parts/monitoring/Heartbeat.ts gives the function 5 s more. */
const requestsMs = 20_000;

const { BASE_ADDRESS = '', STAGE = '' } = process.env;

/** Runs every five minutes, and fails if clients would not get the responses that the service promises. */
export async function handler(): Promise<void> {
  const signal = AbortSignal.timeout(requestsMs);
  const send = (path: string, headers: Record<string, string>) =>
    fetch(`${BASE_ADDRESS}${path}`, {
      // Lambda freezes the function between the runs, so a connection of the last run may be dead.
      headers: { ...headers, Connection: 'close' },
      redirect: 'error',
      signal,
    });
  await assertServiceResponds(send, STAGE);
}
