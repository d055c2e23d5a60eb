import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { timeouts } from '../../lib/config.ts';
import { corsHeaders, gatewayCorsHeaders, preflightHeaders } from '../../lib/cors.ts';
import { ApiError } from '../../lib/errors.ts';
import type { ApiResponse } from '../../lib/http/event.ts';
import type { Handler } from '../../lib/http/handler.ts';
import { findRoute } from '../../lib/http/routes.ts';
import { commonHeaders, type OperationName, operationEntries } from '../../lib/operations.ts';
import { limits } from '../../lib/schemas.ts';
import { type GatewayLog, requestLine } from './gatewayLog.ts';
import { splitTarget, toProxyEvent } from './proxyEvent.ts';

/** The deployed functions: one for each operation, and the fallback for all other requests. */
export type Functions = Record<OperationName | 'fallback', Handler>;

export type RequestHook = (request: IncomingMessage) => Promise<ApiResponse | undefined>;

export type GatewayOptions = {
  /** Runs first. A request that it responds to never reaches the functions. */
  onRequest?: RequestHook;
  /** The origins of pages that may call the service. */
  corsOrigins?: readonly string[];
  /** Gets one line for each request. Default: none. */
  log?: GatewayLog;
};

/** Longer than most clients keep an idle connection, so that none sends a request to a closed one. */
const keepAliveTimeout = 75_000;

/**
 * Creates the HTTP server that replaces API Gateway on a laptop.
 *
 * It routes by the operations table and calls the exported handlers with REST proxy events.
 */
export function createLocalGateway(
  functions: Functions,
  { onRequest, corsOrigins = [], log = () => {} }: GatewayOptions = {},
): Server {
  /** Returns the response to a request. Throws what API Gateway itself rejects. */
  async function respond(request: IncomingMessage): Promise<ApiResponse> {
    const { headers, method = '', url = '/' } = request;
    const page = await onRequest?.(request);
    if (page) return page;

    const route = findRoute(splitTarget(url).path);
    if (corsOrigins.length > 0 && method === 'OPTIONS' && route) {
      const cors = { ...preflightHeaders(), ...corsHeaders(headers.origin, corsOrigins) };
      return { statusCode: 204, headers: { ...ownHeaders(), ...cors }, body: '' };
    }
    const event = toProxyEvent(request, await readBody(request));
    const name = route?.operationNames[method] ?? 'fallback';
    const deadlineMs = Date.now() + timeouts.functionSeconds * 1000;
    return functions[name](event, {
      functionName: name,
      // One id finds all lines of a request.
      awsRequestId: event.requestContext.requestId,
      getRemainingTimeInMillis: () => deadlineMs - Date.now(),
    });
  }

  function errorResponse(error: unknown): ApiResponse {
    const headers = {
      ...ownHeaders(),
      'Content-Type': 'application/json',
      ...(corsOrigins.length > 0 && gatewayCorsHeaders),
    };
    let apiError = error as ApiError;
    if (!(error instanceof ApiError)) {
      const message = 'A request failed outside of the middleware stack';
      log({ level: 'ERROR', message, requestId: headers['X-Request-Id'], cause: error });
      apiError = new ApiError('internal_error', 'The service failed to respond.');
    }
    return { statusCode: apiError.status, headers, body: JSON.stringify(apiError) };
  }

  const pending = new Set<ServerResponse>();

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const startedAtMs = performance.now();
    pending.add(response);
    response.once('close', () => pending.delete(response));
    const sent = await respond(request).catch(errorResponse);
    response.statusCode = sent.statusCode;
    response.setHeaders(new Map(Object.entries(sent.headers))).end(sent.body);
    log(requestLine(request, sent, performance.now() - startedAtMs));
  }

  /** Responds to bytes that are not a request, unless a response is due that they would hide. */
  function refuse(socket: Duplex): void {
    const due = [...pending].findLast(({ req }) => req.socket === socket && req.complete);
    if (due) {
      due.once('close', () => socket.destroy());
      return;
    }
    const message = 'The request is not valid HTTP, exceeds 16 KB of headers, or came too slowly.';
    const { headers, body } = errorResponse(new ApiError('bad_request', message));
    const sent = { ...headers, 'Content-Length': body.length, Connection: 'close' };
    const head = Object.entries(sent).map((header) => header.join(': '));
    socket.end(['HTTP/1.1 400 Bad Request', ...head, '', body].join('\r\n'));
  }

  const server = createServer({ keepAliveTimeout }, handle);
  server.on('clientError', (_error, socket) => refuse(socket));
  // Without a listener, Node.js closes the connection, and with it the responses that are due.
  server.on('connect', (_request, socket) => {
    socket.on('error', () => socket.destroy());
    refuse(socket);
  });
  return server;
}

/** Reads a body as bytes, because the functions check its media type. They reject a larger body than it keeps. */
async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request) {
      if (bytes <= limits.body.maxBytes) chunks.push(chunk);
      bytes += chunk.length;
    }
  } catch (cause) {
    throw new ApiError('bad_request', 'The request is not complete.', { cause });
  }
  // API Gateway decompresses gzip and deflate, and rejects other codings with this status.
  if (bytes > 0 && (request.headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw new ApiError(
      'unsupported_media_type',
      'npm start does not decompress: send the body without Content-Encoding.',
    );
  }
  return Buffer.concat(chunks);
}

function ownHeaders() {
  return { ...commonHeaders, 'X-Request-Id': randomUUID() };
}

/** Loads each function as it is deployed: one file for each operation, and the fallback. */
export async function loadFunctions(): Promise<Functions> {
  const names = [...operationEntries.map(([name]) => name), 'fallback'];
  const modules = names.map(async (name) => {
    const { handler } = await import(`../../functions/${name}.ts`);
    return [name, handler];
  });
  return Object.fromEntries(await Promise.all(modules));
}
