import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError } from '../../lib/errors.ts';
import type { Handler } from '../../lib/http/handler.ts';
import type { ApiResponse } from '../../lib/http/middlewares/apiMiddleware.ts';
import { findRoute } from '../../lib/http/routes.ts';
import { logger } from '../../lib/logging.ts';
import type { OperationName } from '../../lib/operations.ts';
import { commonHeaders } from '../../lib/operations.ts';
import { splitTarget, toProxyEvent } from './proxyEvent.ts';

/** The functions as they are deployed: one an operation, and the one for all other requests. */
export type Functions = Record<OperationName | 'fallback', Handler>;

export type HandledRequest = { method: string; path: string; status: number; durationMs: number };

/** Its handlers outlive the connections of clients that left, and so the server's `close`. */
export type LocalGateway = Server & { handlersDone(): Promise<unknown> };

/** The limits of a REST API and of the functions behind it. */
const maxGatewayBodyBytes = 10 * 1024 * 1024;
const functionTimeoutMs = 10_000;

/**
 * What a client may take to send a request: slow ones must not hold connections for ever, and the 5
 * minutes that Node.js gives are made for uploads.
 */
const slowClientLimits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 500,
};

/** What nginx writes into its log for a client that went away before the answer. */
const clientClosedRequest = 499;

/**
 * Makes the HTTP server that stands where API Gateway stands on AWS.
 *
 * It routes by the operations table and calls the exported handlers with REST proxy events. What it
 * answers itself (a body over 10 MB, a request that is no HTTP) is an Error body too.
 */
export function createLocalGateway(
  functions: Functions,
  onHandled: (request: HandledRequest) => void = () => {},
): LocalGateway {
  const underWay = new Set<ServerResponse>();
  const handlers = new Set<Promise<void>>();

  function startHandler(request: IncomingMessage, response: ServerResponse): void {
    const handler = handle(request, response).finally(() => handlers.delete(handler));
    handlers.add(handler);
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const startedAtMs = performance.now();
    const { method = '', url = '' } = request;
    underWay.add(response);
    response.on('close', () => {
      underWay.delete(response);
      const durationMs = performance.now() - startedAtMs;
      const status = response.headersSent ? response.statusCode : clientClosedRequest;
      onHandled({ method, path: splitTarget(url).path, status, durationMs });
    });

    const body = await readBody(request).catch(() => undefined);
    if (body === undefined) return void response.destroy();
    const answer = await invoke(functions, request, body).catch(gatewayResponse);
    // A stopping server sends its last answers and keeps no connection open for more.
    if (!server.listening) response.setHeader('Connection', 'close');
    send(response, answer);
  }

  /** What follows a good request must not take the place of its answer, only end the connection. */
  function endsWithAnswer(socket: Duplex): boolean {
    const response = [...underWay].findLast(({ req }) => req.socket === socket && req.complete);
    if (response) response.shouldKeepAlive = false;
    return response !== undefined;
  }

  // Without a Host header the links have another host to name, so it need not be refused.
  const server = createServer({ requireHostHeader: false, ...slowClientLimits }, startHandler);
  server.on('checkExpectation', startHandler);
  server.on('connect', (_request, socket) => {
    // Node.js has let go of it: a reset would end the process, and one left open hold up a stop.
    socket.on('error', () => socket.destroy()).on('finish', () => socket.destroy());
    if (!endsWithAnswer(socket)) refuse(socket, 'CONNECT is not for this server.');
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return;
    if (endsWithAnswer(socket)) return;
    refuse(socket, refusals[error.code ?? ''] ?? 'The request is not valid HTTP/1.1.');
  });
  return Object.assign(server, { handlersDone: () => Promise.allSettled(handlers) });
}

const refusals: Record<string, string> = {
  HPE_HEADER_OVERFLOW: 'The headers must not exceed 16 KiB.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request took too long to arrive.',
};

async function invoke(
  functions: Functions,
  request: IncomingMessage,
  body: Buffer | 'too large',
): Promise<ApiResponse> {
  if (body === 'too large') {
    throw new ApiError('payload_too_large', 'The request exceeds the 10 MB of the gateway.');
  }
  const event = toProxyEvent(request, body);
  const name = findRoute(event.path)?.operationNames[event.httpMethod] ?? 'fallback';
  const deadlineMs = Date.now() + functionTimeoutMs;
  return functions[name](event, {
    functionName: name,
    awsRequestId: randomUUID(),
    getRemainingTimeInMillis: () => deadlineMs - Date.now(),
  });
}

/** Reads to the end even what is refused, so that the client is ready for the answer. */
async function readBody(request: IncomingMessage): Promise<Buffer | 'too large'> {
  const chunks: Buffer[] = [];
  let receivedBytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    receivedBytes += chunk.length;
    if (receivedBytes <= maxGatewayBodyBytes) chunks.push(chunk);
  }
  return receivedBytes <= maxGatewayBodyBytes ? Buffer.concat(chunks) : 'too large';
}

function gatewayResponse(error: unknown): ApiResponse {
  if (!(error instanceof ApiError)) {
    logger.error('A function failed outside of its middleware stack', { cause: error });
    return gatewayResponse(new ApiError('internal_error', 'The service failed to answer.'));
  }
  return {
    statusCode: error.status,
    headers: {
      'Content-Type': 'application/json',
      ...commonHeaders,
      'X-Request-Id': randomUUID(),
      ...error.headers,
    },
    body: JSON.stringify(error),
  };
}

function send(response: ServerResponse, { statusCode, headers, body }: ApiResponse): void {
  response
    .writeHead(statusCode, { ...headers, 'Content-Length': Buffer.byteLength(body) })
    .end(body);
}

/** Where there is no request to answer properly, the bytes are written to the socket by hand. */
function refuse(socket: Duplex, message: string): void {
  const { headers, body } = gatewayResponse(new ApiError('bad_request', message));
  const headerLines = Object.entries({
    ...headers,
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 400 Bad Request\r\n${headerLines.join('')}\r\n${body}`);
}
