import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { onTestFinished } from 'vitest';

/** Starts a server for one test and returns its address. */
export async function listen(service: RequestListener | Server | FastifyInstance): Promise<string> {
  const server = await serverOf(service);
  server.listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function serverOf(service: RequestListener | Server | FastifyInstance): Promise<Server> {
  if (typeof service === 'function') return createServer(service);
  if (!('server' in service)) return service;
  await service.ready();
  return service.server;
}
