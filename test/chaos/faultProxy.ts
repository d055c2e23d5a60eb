import { once } from 'node:events';
import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { increment } from './Client.ts';
import type { Fault, ScheduledFault } from './faultSchedule.ts';

export type FaultProxy = {
  /** For `AWS_ENDPOINT_URL_DYNAMODB`. */
  endpoint: string;
  /** How often each fault was injected, and `none`. */
  counts: Record<string, number>;
  /** Ends the faults. Resolves when every delayed request is finished. */
  endFaults(): Promise<void>;
  stop(): void;
};

type EngineResponse = { status: number; headers: IncomingHttpHeaders; body: Buffer };

/** Forwards requests to a DynamoDB engine and injects the faults of a schedule. */
export async function startFaultProxy(
  engineEndpoint: string,
  faultOf: (arrival: number) => ScheduledFault,
): Promise<FaultProxy> {
  const agent = new Agent({ keepAlive: true });
  const openRequests = new Set<Promise<void>>();
  const counts: Record<string, number> = {};
  const faults = new AbortController();
  const faultsEnd = once(faults.signal, 'abort');
  let arrivals = 0;

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(incoming);
    const { fault, delayMs } = faults.signal.aborted
      ? { fault: undefined, delayMs: 0 }
      : faultOf(arrivals++);
    increment(counts, fault ?? 'none');
    await inject({
      fault,
      // The end of the faults also ends every delay.
      delay: () => wait(delayMs, undefined, { signal: faults.signal }).catch(() => {}),
      faultsEnd,
      response,
      forward: () => forward(incoming, body),
    });
  }

  async function forward(
    { url = '/', headers }: IncomingMessage,
    body: Buffer,
  ): Promise<EngineResponse> {
    const outgoing = request(`${engineEndpoint}${url}`, { method: 'POST', headers, agent });
    outgoing.end(body);
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    return {
      status: incoming.statusCode ?? 0,
      headers: incoming.headers,
      body: await buffer(incoming),
    };
  }

  const server = createServer((incoming, response) => {
    // Sending fails if the service was killed or gave up.
    const handled = handle(incoming, response).catch(() => void response.destroy());
    openRequests.add(handled);
    handled.finally(() => openRequests.delete(handled));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    async endFaults() {
      faults.abort();
      await Promise.all(openRequests);
    },
    stop() {
      server.close();
      server.closeAllConnections();
      agent.destroy();
    },
  };
}

type Injection = {
  fault: Fault | undefined;
  delay: () => Promise<void>;
  faultsEnd: Promise<unknown>;
  response: ServerResponse;
  forward: () => Promise<EngineResponse>;
};

async function inject({ fault, delay, faultsEnd, response, forward }: Injection): Promise<void> {
  switch (fault) {
    case undefined:
      return send(response, await forward());
    case 'reset before the write':
      return void response.socket?.resetAndDestroy();
    case 'reset after the write':
      await forward();
      return void response.socket?.resetAndDestroy();
    case 'response after the time-out': {
      const engineResponse = await forward();
      await delay();
      return send(response, engineResponse);
    }
    case 'write after the time-out':
      await delay();
      return send(response, await forward());
    case 'no response':
      // Until the service hangs up, or the faults end.
      await Promise.race([once(response, 'close'), faultsEnd]);
      return void response.destroy();
    case '502 in HTML':
      return send(response, badGateway);
    case 'body cut off':
      return sendCutOff(response, await forward());
    case 'body cut short': {
      const { body, ...head } = await forward();
      return send(response, { ...head, body: body.subarray(0, halfOf(body)) });
    }
    default:
      fault satisfies never;
  }
}

function send(response: ServerResponse, { status, headers, body }: EngineResponse): void {
  response.writeHead(status, { ...headers, 'content-length': body.length }).end(body);
}

/** Announces the whole length and closes the connection half way. */
function sendCutOff(response: ServerResponse, { status, headers, body }: EngineResponse): void {
  response.writeHead(status, { ...headers, 'content-length': body.length });
  response.write(body.subarray(0, halfOf(body)), () => response.destroy());
}

/** At least a byte: a 200 without a body is a valid response. */
function halfOf({ length }: Buffer): number {
  return Math.max(1, Math.floor(length / 2));
}

const badGateway: EngineResponse = {
  status: 502,
  headers: { 'content-type': 'text/html' },
  body: Buffer.from('<html><body><h1>502 Bad Gateway</h1></body></html>'),
};
