import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';
import {
  createLocalGateway,
  type GatewayOptions,
  loadFunctions,
} from '../../infra/local/localGateway.ts';
import { apiKey } from './api.ts';

export const functions = await loadFunctions();

/** Serves the functions on a free port until the end of a test file, with a valid key. */
export async function startGateway(served = functions, options: GatewayOptions = {}) {
  const server = createLocalGateway(served, options);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  return { server, origin, baseAddress: `${origin}/v1`, apiKey };
}
