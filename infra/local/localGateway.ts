import { randomUUID } from 'node:crypto';
import {
  type FastifyInstance,
  type FastifyReply,
  type FastifyServerOptions,
  fastify,
  LogController,
  type onRequestAsyncHookHandler,
} from 'fastify';
import { corsHeaders, gatewayCorsHeaders, preflightHeaders } from '../../lib/cors.ts';
import { ApiError, type ErrorCode } from '../../lib/errors.ts';
import type { ApiResponse } from '../../lib/http/event.ts';
import type { Handler } from '../../lib/http/handler.ts';
import { findRoute } from '../../lib/http/routes.ts';
import { commonHeaders, type OperationName, operationEntries } from '../../lib/operations.ts';
import { requestFields } from './gatewayLog.ts';
import { splitTarget, toProxyEvent } from './proxyEvent.ts';

/** The deployed functions: one for each operation, and the fallback for all other requests. */
export type Functions = Record<OperationName | 'fallback', Handler>;

export type GatewayOptions = {
  /** Runs first. A request that it replies to never reaches the functions. */
  onRequest?: onRequestAsyncHookHandler;
  /** The origins of pages that may call the service. */
  corsOrigins?: readonly string[];
  /** Gets one line for each request. Default: none. */
  logger?: FastifyServerOptions['logger'];
};

/** The limits of API Gateway REST APIs and of the functions behind it. */
const maxBodyBytes = 10 * 1024 * 1024;
const functionTimeoutMs = 10_000;

/** What Fastify refuses before a function sees it. */
const refusals: Record<number, [code: ErrorCode, message: string]> = {
  400: ['bad_request', 'The request is not complete.'],
  413: ['payload_too_large', 'The request exceeds the 10 MB of the gateway.'],
};

/**
 * Creates the HTTP server that replaces API Gateway on a laptop.
 *
 * It routes by the operations table and calls the exported handlers with REST proxy events. `close` waits
 * for every handler.
 */
export function createLocalGateway(
  functions: Functions,
  { onRequest, corsOrigins = [], logger = false }: GatewayOptions = {},
): FastifyInstance {
  const pendingResponses = new Set<Promise<ApiResponse>>();
  const gateway = fastify({
    bodyLimit: maxBodyBytes,
    logger,
    logController: new LogController({ disableRequestLogging: true }),
    // During a stop, a request on an open connection is served. Then its connection is closed.
    return503OnClosing: false,
    // The operations table routes on the target exactly as sent. Fastify would decode it first.
    rewriteUrl: () => '/',
  });

  // A stop waits for the requests under way. Node.js would also wait for open connections without one.
  let isClosing = false;
  let underWay = 0;
  function closeIfIdle() {
    if (isClosing && underWay === 0) gateway.server.closeAllConnections();
  }
  gateway.addHook('preClose', async () => {
    isClosing = true;
    closeIfIdle();
  });
  gateway.addHook('onRequest', async (_request, reply) => {
    underWay += 1;
    // Fastify's onResponse hook does not run if the client disconnects.
    reply.raw.once('close', () => {
      underWay -= 1;
      closeIfIdle();
    });
  });

  // The functions check the media type, so every body is read as bytes. Events have the raw headers.
  gateway.addHook('onRequest', async (request) => {
    request.headers = { 'content-type': 'application/octet-stream' };
  });
  gateway.removeAllContentTypeParsers();
  gateway.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );

  if (onRequest) gateway.addHook('onRequest', onRequest);
  gateway.addHook('onRequest', async ({ raw, originalUrl }, reply) => {
    if (corsOrigins.length === 0 || raw.method !== 'OPTIONS') return;
    if (!findRoute(splitTarget(originalUrl).path)) return;
    return reply
      .code(204)
      .headers({
        ...commonHeaders,
        ...preflightHeaders(),
        ...corsHeaders(raw.headers.origin, corsOrigins),
        'X-Request-Id': randomUUID(),
      })
      .send();
  });
  gateway.addHook('onSend', async (request, reply, payload) => {
    gateway.log.info(requestFields(request, reply, payload));
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

  gateway.setErrorHandler<Error & { statusCode?: number }>(async (error, _request, reply) => {
    if (corsOrigins.length > 0) reply.headers(gatewayCorsHeaders);
    const [code, message] = refusals[error.statusCode ?? 500] ?? [];
    if (code && message) return send(errorResponse(new ApiError(code, message)), reply);
    gateway.log.error(error, 'A function failed outside of its middleware stack');
    const failure = new ApiError('internal_error', 'The service failed to respond.');
    return send(errorResponse(failure), reply);
  });
  return gateway;
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

function send({ statusCode, headers, body }: ApiResponse, reply: FastifyReply) {
  // Fastify adds a charset to the media type of a string.
  return reply.code(statusCode).headers(headers).send(Buffer.from(body));
}
