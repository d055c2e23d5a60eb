import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll } from 'vitest';
import {
  createLocalGateway,
  type GatewayOptions,
  loadFunctions,
} from '../../infra/local/localGateway.ts';
import { apiKey } from './api.ts';
import { expectDescribed } from './assertDescribed.ts';

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

/** Serves the functions until the end of a test file, with a valid key. */
export async function startGateway(): Promise<{ baseAddress: string; apiKey: string }> {
  const gateway = createLocalGateway(functions);
  const origin = await listenDescribed(gateway);
  afterAll(async () => {
    gateway.server.closeAllConnections();
    await gateway.close();
  });
  return { baseAddress: `${origin}/v1`, apiKey };
}

/** Starts a gateway on a free port. Its responses must match the OpenAPI document. */
async function listenDescribed(gateway: FastifyInstance): Promise<string> {
  await gateway.listen({ port: 0, host: '127.0.0.1' });
  const origin = `http://localhost:${(gateway.server.address() as AddressInfo).port}`;
  expectDescribed(origin);
  return origin;
}
