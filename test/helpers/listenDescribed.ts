import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { expectDescribed } from './describedFetch.ts';

/** Starts a gateway on a free port. Its responses must match the OpenAPI document. */
export async function listenDescribed(gateway: FastifyInstance): Promise<string> {
  await gateway.listen({ port: 0, host: '127.0.0.1' });
  const origin = `http://localhost:${(gateway.server.address() as AddressInfo).port}`;
  expectDescribed(origin);
  return origin;
}
