import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import querystring from 'node:querystring';
import type { ApiResponse, RawEvent } from '../../lib/http/event.ts';
import { findRoute } from '../../lib/http/routes.ts';

/** The response of a proxy integration, or of the gateway itself. */
export type GatewayResponse = Omit<ApiResponse, 'body'> & { body: string | Buffer };

type Lists = Record<string, string[]>;

/**
 * Turns an HTTP request into the event that a REST API sends to a Lambda proxy integration: the parts
 * that the functions read.
 */
export function toProxyEvent(request: IncomingMessage, body: Buffer) {
  const { path, queryString } = splitTarget(request.url ?? '/');
  const route = findRoute(path);
  // The gateway sets this header itself.
  const multiValueHeaders = { ...request.headersDistinct, 'x-forwarded-proto': ['http'] } as Lists;
  const query = groupByName(new URLSearchParams(`?${queryString}`));
  // The event holds text. Base64 keeps other bytes whole, so that the handler can reject them.
  const isBase64Encoded = !isUtf8(body);

  return {
    path,
    httpMethod: request.method ?? 'GET',
    headers: lastValues(multiValueHeaders),
    multiValueHeaders,
    queryStringParameters: nullIfEmpty(lastValues(query)),
    multiValueQueryStringParameters: nullIfEmpty(query),
    pathParameters: nullIfEmpty(decoded(route?.pathParameters ?? {})),
    requestContext: {
      domainName: publicHost(request),
      // Without a stage before /v1, as behind a custom domain.
      path,
      requestId: randomUUID(),
    },
    body: body.length === 0 ? null : body.toString(isBase64Encoded ? 'base64' : 'utf8'),
    isBase64Encoded,
  } satisfies RawEvent;
}

/** Splits a request target, exactly as sent, into path and query, without the host of an absolute one (RFC 9112, 3.2.2). */
export function splitTarget(target: string): { path: string; queryString: string } {
  const [withHost = '', queryString = ''] = target.split(/\?(.*)/s, 2);
  return { path: withHost.replace(/^https?:\/\/[^/]*/i, '') || '/', queryString };
}

/** The Host header, if it is a valid host. */
function publicHost({ headers, socket }: IncomingMessage): string {
  const { host = '' } = headers;
  const isHost = /^([\w.-]+|\[[\da-f:.]+\])(:\d+)?$/i.test(host);
  return isHost ? host : `localhost:${socket.localPort}`;
}

/** In one pass: `getAll` for each of 8,000 repeated names blocks for seconds. */
function groupByName(parameters: URLSearchParams): Lists {
  const groups = Map.groupBy(parameters, ([name]) => name);
  return Object.fromEntries(
    [...groups].map(([name, pairs]) => [name, pairs.map(([, value]) => value)]),
  );
}

function lastValues(lists: Lists): Record<string, string> {
  return Object.fromEntries(
    Object.entries(lists).map(([name, values]) => [name, values.at(-1) ?? '']),
  );
}

function nullIfEmpty<T extends object>(map: T): T | null {
  return Object.keys(map).length === 0 ? null : map;
}

/** Unlike `decodeURIComponent`, this takes every text. */
function decoded(parameters: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [name, querystring.unescape(value)]),
  );
}
