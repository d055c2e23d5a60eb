import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { stages } from '../infra/stages.ts';
import { timeouts } from '../lib/config.ts';
import { corsHeaders, gatewayCorsHeaders, preflightHeaders } from '../lib/cors.ts';
import { ApiError, retryAfter } from '../lib/errors.ts';
import type { ApiResponse } from '../lib/http/event.ts';
import type { Handler } from '../lib/http/handler.ts';
import { findRoute } from '../lib/http/routes.ts';
import { commonHeaders, type OperationName, operationEntries } from '../lib/operations.ts';
import { limits } from '../lib/schemas.ts';
import { type GatewayLog, requestLine } from './gatewayLog.ts';
import { splitTarget, toProxyEvent } from './proxyEvent.ts';

/** The deployed functions: one for each operation, and the fallback for all other requests. */
export type Functions = Record<OperationName | 'fallback', Handler>;

export type RequestHook = (request: IncomingMessage) => Promise<ApiResponse | undefined>;

export type GatewayOptions = {
  /** Runs first. A request that it responds to never reaches the functions. */
  onRequest?: RequestHook;
  corsOrigins?: readonly string[];
  /** Gets one line for each request. Default: none. */
  log?: GatewayLog;
};

/** Longer than most clients keep an idle connection, so that no client sends a request to a closed connection. */
const keepAliveTimeout = 75_000;

/**
 * More at once would share the processor so thinly that calls of the database reach their time-outs, and the retries
 * add load. The other requests wait.
 */
const maxRunning = 20;

/** How many requests may run and wait: the largest burst of a stage. With thousands, the next would wait for seconds. */
const maxOpen = Math.max(...stages.map(({ operationThrottle }) => operationThrottle.burstRequests));

// The gateways of this process share its processor, so they share one queue.
let running = 0;
const waiting: (() => void)[] = [];

/** Runs a function when it is its turn. Throws 504 if it does not end in time. */
async function runInTurn(
  { socket }: IncomingMessage,
  run: () => Promise<ApiResponse>,
): Promise<ApiResponse> {
  if (running + waiting.length >= maxOpen) {
    const message = 'Too many requests are open: wait for a response first.';
    throw new ApiError('too_many_requests', message, { headers: retryAfter });
  }
  const mustWait = running === maxRunning;
  // The request before hands over its place.
  if (mustWait) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  const { promise: timeUp, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const message = 'The service did not respond in time: send the request again later.';
    reject(new ApiError('gateway_timeout', message));
  }, timeouts.integrationSeconds * 1000);
  try {
    if (mustWait && !socket.readable) {
      throw new ApiError('bad_request', 'The client ended the connection before its turn.');
    }
    return await Promise.race([run(), timeUp]);
  } finally {
    clearTimeout(timer);
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}

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
    const cors = corsOrigins.length > 0 && corsHeaders(headers.origin, corsOrigins);
    const page = await onRequest?.(request);
    if (page) return { ...page, headers: { ...page.headers, ...cors } };

    const route = findRoute(splitTarget(url).path);
    if (method === 'OPTIONS' && route && cors) {
      const preflight = { ...ownHeaders(), ...preflightHeaders(), ...cors };
      return { statusCode: 204, headers: preflight, body: '' };
    }
    const event = toProxyEvent(request, await readBody(request));
    const name = route?.operationNames[method] ?? 'fallback';
    return runInTurn(request, () => {
      const deadlineMs = Date.now() + timeouts.functionSeconds * 1000;
      return functions[name](event, {
        functionName: name,
        // The gateway and the function log the same id, so that it finds all lines of a request.
        awsRequestId: event.requestContext.requestId,
        getRemainingTimeInMillis: () => deadlineMs - Date.now(),
      });
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
    Object.assign(headers, apiError.headers);
    return { statusCode: apiError.status, headers, body: JSON.stringify(apiError) };
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const startedAtMs = performance.now();
    const sent = await respond(request).catch(errorResponse);
    response.statusCode = sent.statusCode;
    response.setHeaders(new Map(Object.entries(sent.headers))).end(sent.body);
    log(requestLine(request, sent, performance.now() - startedAtMs));
  }

  // A missing Host is accepted. Node.js would refuse it without an Error body.
  const server = createServer({ keepAliveTimeout, requireHostHeader: false }, handle);
  // A client may end its side after the request. Node.js would end the other side too, without a response.
  return Object.assign(server, { httpAllowHalfOpen: true });
}

/** Reads a body. Of a body that is too large, it keeps only as much as the functions need to reject it. */
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
  if (bytes > 0 && !/^identity$/i.test(request.headers['content-encoding'] || 'identity')) {
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

export async function loadFunctions(): Promise<Functions> {
  const names = [...operationEntries.map(([name]) => name), 'fallback'];
  const modules = names.map(async (name) => {
    const { handler } = await import(`../functions/${name}.ts`);
    return [name, handler];
  });
  return Object.fromEntries(await Promise.all(modules));
}
