import { afterAll } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { handler as fallback } from '../../functions/fallback.ts';
import { handler as getPet } from '../../functions/getPet.ts';
import { handler as listPets } from '../../functions/listPets.ts';
import { createLocalGateway } from '../../infra/local/localGateway.ts';
import { apiKey } from './api.ts';
import { listenDescribed } from './listenDescribed.ts';

/** Serves the functions from this process, on the tables of this test file, until its end. */
export async function startLocalService(): Promise<{ baseAddress: string; apiKey: string }> {
  const server = createLocalGateway({ createPet, fallback, getPet, listPets });
  const origin = await listenDescribed(server);
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return { baseAddress: `${origin}/v1`, apiKey };
}
