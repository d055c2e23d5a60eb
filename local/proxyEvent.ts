import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import querystring from 'node:querystring';
import type { RawEvent } from '../lib/http/event.ts';
import { findRoute } from '../lib/http/routes.ts';

/**
 * Turns an HTTP request into the event that a REST API sends to a Lambda proxy integration: the
 * parts that the functions read.
 */
export function toProxyEvent(request: IncomingMessage, body: Buffer) {
  const { path, queryString } = splitTarget(request.url ?? '/');
  // One pass groups all values. `getAll` for each of 8,000 repeated names would block for seconds.
  const pairs = Map.groupBy(new URLSearchParams(`?${queryString}`), ([name]) => name);
  const query = mapValues(Object.fromEntries(pairs), (each) => each.map(([, value]) => value));
  const multiValueHeaders = { ...request.headersDistinct, 'x-forwarded-proto': ['http'] };
  // The event holds text. Base64 keeps other bytes whole, so that the handler can reject them.
  const isBase64Encoded = !isUtf8(body);

  return {
    path,
    queryStringParameters: mapValues(query, lastOf),
    multiValueQueryStringParameters: query,
    // Unlike `decodeURIComponent`, this accepts every text.
    pathParameters: mapValues(findRoute(path)?.pathParameters ?? {}, querystring.unescape),
    httpMethod: request.method ?? 'GET',
    headers: mapValues(multiValueHeaders, lastOf),
    multiValueHeaders,
    requestContext: {
      // Undefined if the header is not a host.
      domainName: URL.parse(`http://${request.headers.host ?? ''}`)?.host,
      // Without a stage before /v1, as behind a custom domain.
      path,
      requestId: randomUUID(),
    },
    body: body.length === 0 ? null : body.toString(isBase64Encoded ? 'base64' : 'utf8'),
    isBase64Encoded,
  } satisfies RawEvent;
}

/**
 * Splits a request target into path and query, as they were sent. Drops the host of an absolute
 * target (RFC 9112, 3.2.2).
 */
export function splitTarget(target: string): { path: string; queryString: string } {
  const [withHost = '', queryString = ''] = target.split(/\?(.*)/s, 2);
  return { path: withHost.replace(/^https?:\/\/[^/]*/i, '') || '/', queryString };
}

function mapValues<Old, New>(
  map: Record<string, Old>,
  change: (value: Old) => New,
): Record<string, New> {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, change(value)]));
}

function lastOf(values: string[] | undefined): string {
  return values?.at(-1) ?? '';
}
