import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { findRoute } from '../../lib/http/routes.ts';
import { basePath } from '../../lib/operations.ts';
import { localStage } from './localStage.ts';

type Lists = Record<string, string[]>;

/**
 * Turns an HTTP request into the event that a REST API sends to a Lambda proxy integration.
 *
 * `target` is the request target exactly as sent.
 */
export function toProxyEvent(
  request: IncomingMessage,
  target: string,
  body: Buffer,
): APIGatewayProxyEvent {
  const { path, queryString } = splitTarget(target);
  const route = findRoute(path);
  const resource = route ? `${basePath}${route.template}` : '/{proxy+}';
  const httpMethod = request.method ?? 'GET';
  const multiValueHeaders = headersOf(request);
  const headers = lastValues(multiValueHeaders);
  const query = grouped([...new URLSearchParams(`?${queryString}`)]);
  // The event holds text. Base64 keeps other bytes whole, so that the handler can reject them.
  const isBase64Encoded = !isUtf8(body);
  const receivedAt = new Date();

  return {
    resource,
    path,
    httpMethod,
    headers,
    multiValueHeaders,
    queryStringParameters: nullIfEmpty(lastValues(query)),
    multiValueQueryStringParameters: nullIfEmpty(query),
    pathParameters: nullIfEmpty(decoded(route?.pathParameters ?? { proxy: path.slice(1) })),
    stageVariables: null,
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      authorizer: null,
      domainName: publicHost(request),
      httpMethod,
      identity: {
        ...noIdentity,
        sourceIp: request.socket.remoteAddress ?? '',
        userAgent: request.headers['user-agent'] ?? null,
      },
      // Without a stage before /v1, as behind a custom domain.
      path,
      protocol: `HTTP/${request.httpVersion}`,
      requestId: randomUUID(),
      requestTime: receivedAt.toUTCString(),
      requestTimeEpoch: receivedAt.getTime(),
      resourceId: resource,
      resourcePath: resource,
      stage: localStage.name,
    },
    body: body.length === 0 ? null : body.toString(isBase64Encoded ? 'base64' : 'utf8'),
    isBase64Encoded,
  };
}

/** Splits a request target into path and query, without the host of an absolute one (RFC 9112, 3.2.2). */
export function splitTarget(target: string): { path: string; queryString: string } {
  const [withHost = '', queryString = ''] = target.split(/\?(.*)/s, 2);
  return { path: withHost.replace(/^https?:\/\/[^/]*/i, '') || '/', queryString };
}

const noIdentity = {
  accessKey: null,
  accountId: null,
  apiKey: null,
  apiKeyId: null,
  caller: null,
  clientCert: null,
  cognitoAuthenticationProvider: null,
  cognitoAuthenticationType: null,
  cognitoIdentityId: null,
  cognitoIdentityPoolId: null,
  principalOrgId: null,
  user: null,
  userArn: null,
};

/** Header names keep the spelling of their first use. The gateway adds X-Forwarded-*. */
function headersOf({ rawHeaders, socket }: IncomingMessage): Lists {
  const pairs = Array.from({ length: rawHeaders.length / 2 }, (_, pair): [string, string] => [
    rawHeaders[2 * pair] ?? '',
    rawHeaders[2 * pair + 1] ?? '',
  ]);
  const spelling = new Map(pairs.toReversed().map(([name]) => [name.toLowerCase(), name]));
  const sent = pairs.filter(([name]) => !/^x-forwarded-/i.test(name));
  return grouped([
    ...sent.map(([name, value]): [string, string] => [
      spelling.get(name.toLowerCase()) ?? name,
      value,
    ]),
    ['X-Forwarded-For', socket.remoteAddress ?? ''],
    ['X-Forwarded-Port', String(socket.localPort ?? '')],
    ['X-Forwarded-Proto', 'http'],
  ]);
}

/** The Host header, if it is a valid host. */
function publicHost({ headers, socket }: IncomingMessage): string {
  const { host = '' } = headers;
  const isHost = /^([\w.-]+|\[[\da-f:.]+\])(:\d+)?$/i.test(host);
  return isHost ? host : `localhost:${socket.localPort}`;
}

function grouped(pairs: [string, string][]): Lists {
  const groups = Map.groupBy(pairs, ([name]) => name);
  return Object.fromEntries(
    [...groups].map(([name, group]) => [name, group.map(([, value]) => value)]),
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

function decoded(parameters: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [name, decodeOrKeep(value)]),
  );
}

function decodeOrKeep(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
