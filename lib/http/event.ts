import type middy from '@middy/core';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import type { ApiError } from '../errors.ts';
import { type Log, requestLog } from '../logging.ts';

/** The proxy event of a REST API, or one that was written by hand and lacks parts. */
export type RawEvent = Nullable<
  Omit<APIGatewayProxyEvent, 'requestContext'> & {
    requestContext: Nullable<APIGatewayProxyEvent['requestContext']>;
  }
>;

type Nullable<T> = { [Key in keyof T]?: T[Key] | null | undefined };

/** A request on its way through the middleware stack: what the client sent, and what each middleware adds. */
export type ApiEvent = {
  requestId: string;
  /** Empty if the event has none. */
  method: string;
  /** Without domain and stage: `/v1/pets`. Empty if the event has no path. */
  path: string;
  /** As the client sent it, with the stage if the address has one: `/v1-staging/v1/pets`. */
  publicPath?: string | undefined;
  domainName?: string | undefined;
  /** Keyed by the names as sent, and by lower-case names after the header normaliser. */
  headers: Record<string, string>;
  /** Keyed by lower-case names. */
  multiValueHeaders: Record<string, string[]>;
  pathParameters: Record<string, string>;
  /** A repeated parameter is an array. */
  query: Record<string, string | string[]>;
  /** The text as sent; its value after parsing; `null` without a body. */
  body: unknown;
  isBase64Encoded: boolean;
  startedAtMs: number;
  /** The public id of the caller's API key, after authentication. */
  apiKeyId?: string;
  /** The validated parts of the request that the operation reads. */
  input?: unknown;
  /** The error that the response reports. */
  apiError?: ApiError;
  /** Logs an event of this request. */
  log: Log;
  /** What an operation adds to the log line of its request. Never text, which a client may have written. */
  logFields: Record<string, number | bigint>;
};

export type ApiResponse = { statusCode: number; headers: Record<string, string>; body: string };

export type ApiRequest = middy.Request<ApiEvent, ApiResponse, Error, Context>;

/** A hook throws to reject a request and assigns `request.response` to respond. It returns nothing. */
type Hook = (request: ApiRequest) => void | Promise<void>;

export type ApiMiddleware = { before?: Hook; after?: Hook; onError?: Hook };

/** Replaces the event by its normalised form, in which no part is `null` or missing. */
export function normalizeEvent(): ApiMiddleware {
  return {
    before: function normalizeEvent(request: ApiRequest) {
      const event = request.event as RawEvent | null;
      request.event = toApiEvent(event ?? {}, request.context);
    },
  };
}

function toApiEvent(event: RawEvent, context: Partial<Context>): ApiEvent {
  const { requestContext } = event;
  const query = copyOf<string | string[]>(event.queryStringParameters);
  for (const [name, values = []] of Object.entries(event.multiValueQueryStringParameters ?? {})) {
    const [value = '', ...others] = values;
    query[name] = others.length > 0 ? values : value;
  }
  return {
    requestId: requestContext?.requestId ?? crypto.randomUUID(),
    method: event.httpMethod ?? '',
    path: event.path ?? '',
    publicPath: requestContext?.path ?? undefined,
    domainName: requestContext?.domainName ?? undefined,
    headers: copyOf(event.headers),
    multiValueHeaders: mergedByLowerCase(event.multiValueHeaders),
    pathParameters: copyOf(event.pathParameters),
    query,
    body: event.body ?? null,
    isBase64Encoded: event.isBase64Encoded ?? false,
    startedAtMs: Date.now(),
    log: requestLog(context),
    logFields: {},
  };
}

/** A header may arrive in two spellings. The header normaliser would keep only the last one. */
function mergedByLowerCase(lists: RawEvent['multiValueHeaders']): Record<string, string[]> {
  const merged = copyOf<string[]>(null);
  for (const [name, values = []] of Object.entries(lists ?? {})) {
    const lowerCaseName = name.toLowerCase();
    merged[lowerCaseName] = merged[lowerCaseName]?.concat(values) ?? values;
  }
  return merged;
}

/** The copy has no prototype, so `__proto__` is an ordinary name. */
function copyOf<T>(map: Record<string, T | undefined> | null | undefined): Record<string, T> {
  return Object.assign(Object.create(null), map);
}
