import { afterAll, beforeAll } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { handler as fallback } from '../../functions/fallback.ts';
import { handler as getPet } from '../../functions/getPet.ts';
import { handler as listPets } from '../../functions/listPets.ts';
import { createLocalGateway } from '../../infra/local/localGateway.ts';
import { listenDescribed } from './listenDescribed.ts';

/** Serves the functions over HTTP for the tests of a file. */
export function serveFunctions() {
  const server = createLocalGateway({ createPet, fallback, getPet, listPets });
  const gateway = { server, origin: '' };
  beforeAll(async () => {
    gateway.origin = await listenDescribed(server);
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return gateway;
}
