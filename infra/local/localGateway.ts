import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError } from '../../lib/ApiError.ts';
import { commonHeaders } from '../../lib/commonHeaders.ts';
import { log } from '../../lib/log.ts';
import type { ApiResponse } from '../../lib/middlewares/ApiMiddleware.ts';
import type { OperationName } from '../../lib/operations.ts';
import type { Handler } from '../../lib/requestHandler.ts';
import { findRoute } from '../../lib/routes.ts';
import { splitTarget, toProxyEvent } from './proxyEvent.ts';

/** The functions as they are deployed: one an operation, and the one for all other requests. */
export type Functions = Record<OperationName | 'fallback', Handler>;

export type HandledRequest = { method: string; path: string; status: number; durationMs: number };

/** The limits of a REST API and of the functions behind it. */
const maxGatewayBodyBytes = 10 * 1024 * 1024;
const functionTimeoutMs = 10_000;

/**
 * Makes the HTTP server that stands where API Gateway stands on AWS.
 *
 * It routes by the operations table and calls the exported handlers with REST proxy events. What it
 * answers itself (a body over 10 MB, a request that is no HTTP) is an Error body too.
 */
export function createLocalGateway(
  functions: Functions,
  onHandled: (request: HandledRequest) => void = () => {},
): Server {
  const server = createServer(async (request, response) => {
    const startedAtMs = performance.now();
    const { method = '', url = '' } = request;
    response.on('close', () => {
      const durationMs = performance.now() - startedAtMs;
      onHandled({ method, path: splitTarget(url).path, status: response.statusCode, durationMs });
    });
    const answer = await invoke(functions, request).catch(gatewayResponse);
    // A stopping server sends its last answers and keeps no connection open for more.
    if (!server.listening) response.setHeader('Connection', 'close');
    send(response, answer);
  });
  return server.on('clientError', refuseMalformedRequest);
}

async function invoke(functions: Functions, request: IncomingMessage): Promise<ApiResponse> {
  const event = toProxyEvent(request, await readBody(request));
  const name = findRoute(event.path)?.operationNames[event.httpMethod] ?? 'fallback';
  const deadlineMs = Date.now() + functionTimeoutMs;
  return functions[name](event, {
    functionName: name,
    awsRequestId: randomUUID(),
    getRemainingTimeInMillis: () => deadlineMs - Date.now(),
  });
}

/** Reads to the end even what it refuses, so that the client is ready for the answer. */
async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let receivedBytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    receivedBytes += chunk.length;
    if (receivedBytes <= maxGatewayBodyBytes) chunks.push(chunk);
  }
  if (receivedBytes > maxGatewayBodyBytes) {
    throw new ApiError('payload_too_large', 'The request exceeds the 10 MB of the gateway.');
  }
  return Buffer.concat(chunks);
}

function gatewayResponse(error: unknown): ApiResponse {
  if (!(error instanceof ApiError)) {
    log('ERROR', 'A function failed outside of its middleware stack', { cause: error });
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

/** There is no request to answer properly, so the bytes are written to the socket by hand. */
function refuseMalformedRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return;
  const message =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? 'The headers must not exceed 16 KiB.'
      : 'The request is not valid HTTP/1.1.';
  const { headers, body } = gatewayResponse(new ApiError('bad_request', message));
  const headerLines = Object.entries({
    ...headers,
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 400 Bad Request\r\n${headerLines.join('')}\r\n${body}`);
}
