import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { pick, seededRandom } from './seededRandom.ts';

/** A request of the service on its way to the database. */
type Passage = {
  /** Lets the database execute it, and returns what sends the response. */
  execute(): Promise<{ send(): void; sendHalf(): void }>;
  /** Resolves later than the service's time-out for a call, 1500 ms. */
  delay(): Promise<unknown>;
  response: ServerResponse;
};

/** The faults of a connection. test/interleavings has the error responses of DynamoDB. */
const faults: Record<string, (passage: Passage) => unknown> = {
  'reset before the effect': ({ response }) => response.socket?.resetAndDestroy(),
  async 'reset after the effect'({ execute, response }) {
    await execute();
    response.socket?.resetAndDestroy();
  },
  async 'late response'({ execute, delay }) {
    const { send } = await execute();
    await delay();
    send();
  },
  async 'late effect'({ execute, delay }) {
    await delay();
    (await execute()).send();
  },
  'cut body': async ({ execute }) => (await execute()).sendHalf(),
  '502 in HTML': ({ response }) =>
    response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>502 Bad Gateway</h1>'),
};

/** The SDK's three attempts hide most faults, but not all. */
const faultRate = 0.3;

/** Forwards requests to a DynamoDB engine, and breaks some of their connections. */
export async function startFaultProxy(engineEndpoint: string, seed: number) {
  const random = seededRandom(seed);
  const openRequests = new Set<Promise<unknown>>();
  const counts: Record<string, number> = {};
  const end = new AbortController();

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const requestBody = await buffer(request);
    const fault =
      !end.signal.aborted && random() < faultRate ? pick(random, Object.keys(faults)) : '';
    const delayMs = 1600 + random() * 900;
    counts[fault || 'none'] = (counts[fault || 'none'] ?? 0) + 1;

    const execute = async () => {
      const { connection: _, host: __, ...headers } = request.headers as Record<string, string>;
      const reply = await fetch(engineEndpoint, { method: 'POST', headers, body: requestBody });
      const body = Buffer.from(await reply.arrayBuffer());
      const head = { 'content-type': 'application/x-amz-json-1.0', 'content-length': body.length };
      return {
        send: () => response.writeHead(reply.status, head).end(body),
        sendHalf: () =>
          response
            .writeHead(reply.status, head)
            .write(body.subarray(0, body.length / 2), () => response.destroy()),
      };
    };
    // The end of the faults also ends every delay.
    const delay = () => wait(delayMs, undefined, { signal: end.signal }).catch(() => {});
    const inject = faults[fault];
    if (inject) await inject({ execute, delay, response });
    else (await execute()).send();
  }

  const server = createServer((request, response) => {
    // Sending fails if the service was killed or gave up.
    const handled = handle(request, response).catch(() => response.destroy());
    openRequests.add(handled);
    handled.finally(() => openRequests.delete(handled));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');

  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** How often each fault was injected. */
    counts,
    /** Resolves when every delayed request is finished. */
    async endFaults() {
      end.abort();
      await Promise.all(openRequests);
    },
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
