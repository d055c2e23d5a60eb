import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expectDescribed } from './describedFetch.ts';

/** Lets a gateway listen on a free port; its answers must be what the description says. */
export async function listenDescribed(gateway: Server): Promise<string> {
  gateway.listen(0, '127.0.0.1');
  await once(gateway, 'listening');
  const origin = `http://localhost:${(gateway.address() as AddressInfo).port}`;
  expectDescribed(origin);
  return origin;
}
