import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** Starts a server, by default for one test, and returns its address. */
export async function listen(
  service: RequestListener | Server,
  whenDone: (stop: () => void) => void = onTestFinished,
): Promise<string> {
  const server = typeof service === 'function' ? createServer(service) : service;
  whenDone(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
