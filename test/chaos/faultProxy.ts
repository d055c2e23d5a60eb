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
import type { Fault, ScheduledFault } from './faultSchedule.ts';

export type FaultProxy = {
  /** For `AWS_ENDPOINT_URL_DYNAMODB`. */
  endpoint: string;
  /** How often each fault was played, `none` among them. */
  counts: Record<string, number>;
  /** No further faults; resolves when nothing that was held back is still to be written. */
  calmDown(): Promise<void>;
  stop(): void;
};

type Answer = { status: number; headers: IncomingHttpHeaders; body: Buffer };

/** Stands between a service and a DynamoDB engine, and plays the faults of a schedule. */
export async function startFaultProxy(
  engineEndpoint: string,
  faultOf: (arrival: number) => ScheduledFault,
): Promise<FaultProxy> {
  const agent = new Agent({ keepAlive: true });
  const underWay = new Set<Promise<void>>();
  const counts: Record<string, number> = {};
  const calm = new AbortController();
  const becameCalm = once(calm.signal, 'abort');
  let arrivals = 0;

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(incoming);
    const { fault, delayMs } = calm.signal.aborted
      ? { fault: undefined, delayMs: 0 }
      : faultOf(arrivals++);
    counts[fault ?? 'none'] = (counts[fault ?? 'none'] ?? 0) + 1;
    await play({
      fault,
      // What is held back when calm comes goes out at once.
      holdBack: () => wait(delayMs, undefined, { signal: calm.signal }).catch(() => {}),
      becameCalm,
      response,
      forward: () => forward(incoming, body),
    });
  }

  async function forward({ url = '/', headers }: IncomingMessage, body: Buffer): Promise<Answer> {
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
    // A service that was killed, or gave up, is not there to hear of it.
    const handled = handle(incoming, response).catch(() => void response.destroy());
    underWay.add(handled);
    handled.finally(() => underWay.delete(handled));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    async calmDown() {
      calm.abort();
      await Promise.all(underWay);
    },
    stop() {
      server.close();
      server.closeAllConnections();
      agent.destroy();
    },
  };
}

type Play = {
  fault: Fault | undefined;
  holdBack: () => Promise<void>;
  becameCalm: Promise<unknown>;
  response: ServerResponse;
  forward: () => Promise<Answer>;
};

async function play({ fault, holdBack, becameCalm, response, forward }: Play): Promise<void> {
  switch (fault) {
    case undefined:
      return send(response, await forward());
    case 'reset before the write':
      return void response.socket?.resetAndDestroy();
    case 'reset after the write':
      await forward();
      return void response.socket?.resetAndDestroy();
    case 'answer after the time-out': {
      const answer = await forward();
      await holdBack();
      return send(response, answer);
    }
    case 'write after the time-out':
      await holdBack();
      return send(response, await forward());
    case 'no answer':
      // Until the service hangs up, or calm comes.
      await Promise.race([once(response, 'close'), becameCalm]);
      return void response.destroy();
    case 'ProvisionedThroughputExceededException':
    case 'ThrottlingException':
      return send(response, dynamoDbError(400, fault));
    case '500 before the write':
      return send(response, dynamoDbError(500, 'InternalServerError'));
    case '500 after the write':
      await forward();
      return send(response, dynamoDbError(500, 'InternalServerError'));
    case '503 before the write':
      return send(response, dynamoDbError(503, 'ServiceUnavailable'));
    case '502 in HTML':
      return send(response, badGateway);
    case 'body cut off':
      return sendCutOff(response, await forward());
    case 'body cut short': {
      const { body, ...head } = await forward();
      return send(response, { ...head, body: body.subarray(0, half(body)) });
    }
    default:
      fault satisfies never;
  }
}

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, { ...headers, 'content-length': body.length }).end(body);
}

/** Promises the whole length and breaks the connection half way. */
function sendCutOff(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, { ...headers, 'content-length': body.length });
  response.write(body.subarray(0, half(body)), () => response.destroy());
}

/** At least a byte: a 200 without a body is no answer that was cut, but another one. */
function half({ length }: Buffer): number {
  return Math.max(1, Math.floor(length / 2));
}

const badGateway: Answer = {
  status: 502,
  headers: { 'content-type': 'text/html' },
  body: Buffer.from('<html><body><h1>502 Bad Gateway</h1></body></html>'),
};

function dynamoDbError(status: number, name: Fault | 'InternalServerError' | 'ServiceUnavailable') {
  return {
    status,
    headers: { 'content-type': 'application/x-amz-json-1.0' },
    body: Buffer.from(
      JSON.stringify({
        __type: `com.amazonaws.dynamodb.v20120810#${name}`,
        message: `${name} by the fault proxy`,
      }),
    ),
  };
}
