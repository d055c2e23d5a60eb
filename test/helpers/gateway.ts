import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll } from 'vitest';
import {
  createLocalGateway,
  type GatewayOptions,
  loadFunctions,
} from '../../local/localGateway.ts';
import { apiKey } from './api.ts';
import { listen } from './listen.ts';

export const functions = await loadFunctions();

/** Serves the functions on a free port until the end of a test file, with a valid key. */
export async function startGateway(served = functions, options: GatewayOptions = {}) {
  const origin = await listen(createLocalGateway(served, options), afterAll);
  return { origin, baseAddress: `${origin}/v1`, apiKey };
}

/** Sends bytes to a server and returns everything that comes back. Then, `go` may do more with the connection. */
export async function sendBytes(
  origin: string,
  bytes: string,
  go: (socket: Socket) => void = () => {},
): Promise<string> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  socket.write(bytes, 'latin1');
  go(socket);
  return text(socket);
}
