import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { findRoute } from '../../lib/http/routes.ts';
import { basePath } from '../../lib/operations.ts';
import { localStage } from './localStage.ts';

type Lists = Record<string, string[]>;

/** Turns an HTTP request into the event that a REST API sends to a Lambda proxy integration. */
export function toProxyEvent(request: IncomingMessage, body: Buffer): APIGatewayProxyEvent {
  const { path, queryString } = splitTarget(request.url ?? '/');
  const route = findRoute(path);
  const resource = route ? `${basePath}${route.template}` : '/{proxy+}';
  const httpMethod = request.method ?? 'GET';
  const multiValueHeaders = headersOf(request);
  const headers = lastValues(multiValueHeaders);
  const query = grouped([...new URLSearchParams(`?${queryString}`)]);
  // A gateway hands on text. Bytes that are no text stay whole this way, for the handler to refuse.
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
    pathParameters: decoded(route?.pathParameters ?? { proxy: path.slice(1) }),
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
      // On AWS it begins with the stage; here, as behind a custom domain, nothing stands before /v1.
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

/** Splits a request target into its two parts; an absolute one (RFC 9112, 3.2.2) loses its host. */
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

/** Names as they were sent, each in the spelling of its first use, and what a gateway adds. */
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

/** The host that the client addressed, if it is one. */
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
