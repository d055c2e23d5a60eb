import type { Server } from 'node:http';
import { afterAll, beforeAll } from 'vitest';
import {
  createLocalGateway,
  type GatewayOptions,
  loadFunctions,
} from '../../infra/local/localGateway.ts';
import { listenDescribed } from './listenDescribed.ts';

export const functions = await loadFunctions();

/** Serves the functions over HTTP for the tests of a file. */
export function serveFunctions(served = functions, options: GatewayOptions = {}) {
  const gateway = createLocalGateway(served, options);
  const serving: { server: Server; origin: string } = { server: gateway.server, origin: '' };
  beforeAll(async () => {
    serving.origin = await listenDescribed(gateway);
  });
  afterAll(async () => {
    gateway.server.closeAllConnections();
    await gateway.close();
  });
  return serving;
}
