import { checkService } from '../lib/heartbeat/checkService.ts';

/**
 * Runs every five minutes, and fails if the service does not respond as it promises.
 *
 * An alarm expects runs that do not fail, so it also notices if the runs stop.
 */
export async function handler(): Promise<void> {
  await checkService(process.env);
}
