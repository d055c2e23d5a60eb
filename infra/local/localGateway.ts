import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { METHODS, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import {
  errorCodes,
  type FastifyInstance,
  type FastifyReply,
  fastify,
  type onRequestAsyncHookHandler,
} from 'fastify';
import { corsHeaders } from '../../lib/cors.ts';
import { ApiError } from '../../lib/errors.ts';
import type { Handler } from '../../lib/http/handler.ts';
import type { ApiResponse } from '../../lib/http/middlewares/apiMiddleware.ts';
import { findRoute } from '../../lib/http/routes.ts';
import { log } from '../../lib/logging.ts';
import { commonHeaders, type OperationName, operationEntries } from '../../lib/operations.ts';
import { gatewayCorsHeaders, preflightHeaders } from '../gatewayCors.ts';
import { splitTarget, toProxyEvent } from './proxyEvent.ts';

/** The deployed functions: one for each operation, and the fallback for all other requests. */
export type Functions = Record<OperationName | 'fallback', Handler>;

export type HandledRequest = {
  method: string;
  path: string;
  status: number;
  durationMs: number;
  /** The contents of an error response. */
  error?: { code: string; fields: string[]; requestId: string };
};

export type GatewayOptions = {
  onHandled?: (request: HandledRequest) => void;
  /** Runs first. A request that it replies to never reaches the functions or `onHandled`. */
  onRequest?: onRequestAsyncHookHandler;
  /** The origins of pages that may call the service. */
  corsOrigins?: readonly string[];
};

/** The limits of API Gateway REST APIs and of the functions behind it. */
const maxBodyBytes = 10 * 1024 * 1024;
const functionTimeoutMs = 10_000;

/** nginx logs this status for a client that disconnects before the response. */
const clientClosedRequest = 499;

/**
 * Creates the HTTP server that replaces API Gateway on a laptop.
 *
 * It routes by the operations table and calls the exported handlers with REST proxy events. Its own
 * errors (a body over 10 MB, malformed HTTP) have an Error body too. `close` waits for every handler.
 */
export function createLocalGateway(
  functions: Functions,
  { onHandled, onRequest, corsOrigins = [] }: GatewayOptions = {},
): FastifyInstance {
  const pendingResponses = new Set<Promise<ApiResponse>>();
  const errors = new WeakMap<ServerResponse, HandledRequest['error']>();
  const gateway = fastify({
    bodyLimit: maxBodyBytes,
    requestTimeout: 30_000,
    http: {
      headersTimeout: 10_000,
      connectionsCheckingInterval: 1_000,
      requireHostHeader: false, // links then name localhost
    },
    return503OnClosing: false,
    clientErrorHandler: refuseConnection,
    // The operations table routes on the target exactly as sent. Fastify would decode it first.
    rewriteUrl: () => '/',
  });

  // The functions check the media type and the method, so every body is read as bytes.
  for (const method of METHODS) {
    gateway.addHttpMethod(method, { hasBody: true, overrideExisting: true });
  }
  gateway.removeAllContentTypeParsers();
  gateway.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );

  if (onRequest) gateway.addHook('onRequest', onRequest);
  gateway.addHook('onRequest', async (request, reply) => {
    // Fastify would refuse a Content-Type that is not a media type. The event has the raw headers.
    request.headers = { 'content-type': 'application/octet-stream' };
    const { method, originalUrl } = request;
    const startedAtMs = performance.now();
    reply.raw.once('close', () => {
      const status = reply.raw.headersSent ? reply.raw.statusCode : clientClosedRequest;
      const error = errors.get(reply.raw);
      onHandled?.({
        method,
        path: splitTarget(originalUrl).path,
        status,
        durationMs: performance.now() - startedAtMs,
        ...(error && { error }),
      });
    });
  });
  gateway.addHook('onRequest', async ({ raw, originalUrl }, reply) => {
    if (corsOrigins.length === 0 || raw.method !== 'OPTIONS') return;
    if (!findRoute(splitTarget(originalUrl).path)) return;
    return reply
      .code(204)
      .headers({
        ...commonHeaders,
        ...preflightHeaders,
        ...corsHeaders(raw.headers.origin, corsOrigins),
        'X-Request-Id': randomUUID(),
      })
      .send();
  });
  gateway.addHook('onSend', async (_request, reply) => {
    if (!gateway.server.listening) reply.header('Connection', 'close');
  });
  // Fastify waits for connections only, and a client that left has none.
  gateway.addHook('onClose', () => Promise.allSettled(pendingResponses));

  // Without routes, every method and target comes here.
  gateway.setNotFoundHandler(async ({ raw, originalUrl, body }, reply) => {
    const event = toProxyEvent(raw, originalUrl, (body as Buffer | undefined) ?? Buffer.alloc(0));
    const name = findRoute(event.path)?.operationNames[event.httpMethod] ?? 'fallback';
    const deadlineMs = Date.now() + functionTimeoutMs;
    const response = functions[name](event, {
      functionName: name,
      awsRequestId: randomUUID(),
      getRemainingTimeInMillis: () => deadlineMs - Date.now(),
    }).finally(() => pendingResponses.delete(response));
    pendingResponses.add(response);
    return send(await response, reply);
  });

  gateway.setErrorHandler(async (error, { raw }, reply) => {
    // Many clients miss a response that arrives while they still send.
    if (!raw.complete && !raw.destroyed) await once(raw.resume(), 'close');
    if (corsOrigins.length > 0) reply.headers(gatewayCorsHeaders);
    return send(errorResponse(gatewayError(error)), reply);
  });
  // An unknown `Expect` header is served as if it were absent.
  gateway.server.on('checkExpectation', (request, response) =>
    gateway.server.emit('request', request, response),
  );
  return gateway;

  function send({ statusCode, headers, body }: ApiResponse, reply: FastifyReply) {
    if (statusCode >= 400) errors.set(reply.raw, describeError({ headers, body }));
    // Fastify adds a charset to the media type of a string.
    return reply.code(statusCode).headers(headers).send(Buffer.from(body));
  }
}

/** Returns the code of an error response, and the names of the invalid fields, without their values. */
function describeError({ headers, body }: Pick<ApiResponse, 'headers' | 'body'>) {
  const { code = '', message = '' }: { code?: string; message?: string } = JSON.parse(body);
  const fields = [...message.matchAll(/(?:^|; )([\w-]+) must /g)].map(([, field = '']) => field);
  return { code, fields: [...new Set(fields)], requestId: headers['X-Request-Id'] ?? '' };
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

function gatewayError(error: unknown): ApiError {
  if (error instanceof errorCodes.FST_ERR_CTP_BODY_TOO_LARGE) {
    return new ApiError('payload_too_large', 'The request exceeds the 10 MB of the gateway.');
  }
  const { statusCode } = error as { statusCode?: number };
  if (statusCode === 400) return new ApiError('bad_request', 'The request ended early.');
  log('function_failed', { cause: error });
  return new ApiError('internal_error', 'The service failed to respond.');
}

function errorResponse(error: ApiError): ApiResponse {
  return {
    statusCode: error.status,
    headers: {
      'Content-Type': 'application/json',
      ...commonHeaders,
      'X-Request-Id': randomUUID(),
    },
    body: JSON.stringify(error),
  };
}

const connectionErrors: Record<string, string> = {
  HPE_HEADER_OVERFLOW: 'The headers must not exceed 16 KiB.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request took too long to arrive.',
};

/** Malformed HTTP makes no request to reply to, so the response is written to the socket. */
function refuseConnection({ code = '' }: NodeJS.ErrnoException, socket: Socket): void {
  if (code === 'ECONNRESET' || !socket.writable) return;
  const message = connectionErrors[code] ?? 'The request is not valid HTTP/1.1.';
  const { headers, body } = errorResponse(new ApiError('bad_request', message));
  const headerLines = Object.entries({
    ...headers,
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 400 Bad Request\r\n${headerLines.join('')}\r\n${body}`);
}
