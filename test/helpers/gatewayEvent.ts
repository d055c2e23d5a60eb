import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { RawEvent } from '../../lib/http/event.ts';
import { basePath, type OperationName, operations } from '../../lib/operations.ts';

type Sent = {
  headers: Record<string, string>;
  query?: Record<string, string | string[]> | undefined;
  pathParameters?: Record<string, string> | undefined;
  body?: string | undefined;
};

/** Returns the event of a request, with everything that a REST API of API Gateway sends. */
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
    stageVariables: null,
    requestContext: {
      accountId: '123456789012',
      apiId: 'abc123',
      domainName: 'abc123.execute-api.eu-west-1.amazonaws.com',
      httpMethod,
      identity: { sourceIp: '192.0.2.1', userAgent: 'test/1.0' } as Identity,
      path: `/v1-staging${path}`,
      protocol: 'HTTP/1.1',
      requestId: 'request-1',
      requestTime: '20/Nov/2026:12:00:00 +0000',
      requestTimeEpoch: 1_795_176_000_000,
      resourcePath: resource,
      stage: 'v1-staging',
    },
    body,
    isBase64Encoded: false,
  } satisfies RawEvent;
}

type Identity = APIGatewayProxyEvent['requestContext']['identity'];

function nullIfEmpty<T>(entries: (readonly [string, T])[]): Record<string, T> | null {
  return entries.length === 0 ? null : Object.fromEntries(entries);
}
