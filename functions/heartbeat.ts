import { checkService } from '../lib/checkService.ts';
import { timeouts } from '../lib/config.ts';

const { BASE_ADDRESS = '', STAGE = '' } = process.env;

/**
 * Runs every five minutes, and fails if the service does not respond as it promises.
 *
 * It asks the address that clients use. An alarm counts the runs that do not fail, so it also notices
 * when the runs stop.
 */
export async function handler(): Promise<void> {
  const signal = AbortSignal.timeout(timeouts.heartbeatRequestsMs);
  const send = (path: string, headers: Record<string, string>) =>
    fetch(`${BASE_ADDRESS}${path}`, {
      // Lambda freezes the function between the runs, so a connection of the last run may be dead.
      headers: { ...headers, Connection: 'close' },
      redirect: 'error',
      signal,
    });
  await checkService(send, STAGE);
}
