import type { RawEvent } from '../../lib/http/event.ts';
import { basePath, type OperationName, operations } from '../../lib/operations.ts';

type Sent = {
  headers: Record<string, string>;
  query?: Record<string, string | string[]> | undefined;
  pathParameters?: Record<string, string> | undefined;
  body?: string | undefined;
};

/** Returns the event that a REST API of API Gateway sends for a request, without its constant parts. */
export function gatewayEvent(operation: OperationName, sent: Sent) {
  const { headers, query = {}, pathParameters = {}, body = null } = sent;
  const { method: httpMethod, path: template } = operations[operation];
  const resource = `${basePath}${template}`;
  const path = resource.replaceAll(
    /\{(\w+)\}/g,
    (segment, name) => pathParameters[name] ?? segment,
  );
  const lists = Object.entries(query).map(([name, value]) => [name, [value].flat()] as const);
  return {
    resource,
    path,
    httpMethod,
    headers,
    multiValueHeaders: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, [value]]),
    ),
    queryStringParameters: nullIfEmpty(lists.map(([name, values]) => [name, values.at(-1) ?? ''])),
    multiValueQueryStringParameters: nullIfEmpty(lists),
    pathParameters: nullIfEmpty(Object.entries(pathParameters)),
    requestContext: {
      domainName: 'abc123.execute-api.eu-west-1.amazonaws.com',
      identity: { sourceIp: '192.0.2.1', userAgent: 'test/1.0' },
      path: `/v1-staging${path}`,
      requestId: 'request-1',
    },
    body,
    isBase64Encoded: false,
  } satisfies RawEvent;
}

function nullIfEmpty<T>(entries: (readonly [string, T])[]): Record<string, T> | null {
  return entries.length === 0 ? null : Object.fromEntries(entries);
}
