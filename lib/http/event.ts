import type middy from '@middy/core';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { timeouts } from '../config.ts';
import type { RequestContext } from '../dynamodb/client.ts';
import type { ApiError } from '../errors.ts';
import { requestLog } from '../logging.ts';

/** The proxy event of a REST API, or one that was written by hand and lacks parts. */
export type RawEvent = Nullable<
  Omit<APIGatewayProxyEvent, 'requestContext'> & {
    requestContext: Nullable<APIGatewayProxyEvent['requestContext']>;
  }
>;

type Nullable<T> = { [Key in keyof T]?: T[Key] | null | undefined };

/** A request on its way through the middleware stack: what the client sent, and what each middleware adds. */
export type ApiEvent = RequestContext & {
  requestId: string;
  /** Empty if the event has none. */
  method: string;
  /** Without domain and stage: `/v1/pets`. Empty if the event has no path. */
  path: string;
  /** As the client sent it, with the stage if the address has one: `/v1-staging/v1/pets`. */
  publicPath?: string | undefined;
  domainName?: string | undefined;
  /** By their names in lower case. A repeated header is an array. */
  headers: Values;
  pathParameters: Record<string, string>;
  /** A repeated parameter is an array. */
  query: Values;
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
  const headers = mergeValues(event.headers, event.multiValueHeaders, (name) => name.toLowerCase());
  const query = mergeValues(
    event.queryStringParameters,
    event.multiValueQueryStringParameters,
    (name) => name,
  );
  return {
    requestId: requestContext?.requestId ?? crypto.randomUUID(),
    method: event.httpMethod ?? '',
    path: event.path ?? '',
    publicPath: requestContext?.path ?? undefined,
    domainName: requestContext?.domainName ?? undefined,
    headers: { 'content-type': 'application/json', ...headers },
    pathParameters: copyOf(event.pathParameters),
    query,
    body: event.body ?? null,
    isBase64Encoded: event.isBase64Encoded ?? false,
    startedAtMs: Date.now(),
    log: requestLog(context),
    logFields: {},
    abortSignal: timeLimit(context),
  };
}

/** Returns a signal that aborts shortly before Lambda would end the function, and never elsewhere. */
function timeLimit({ getRemainingTimeInMillis }: Partial<Context>): AbortSignal {
  if (!getRemainingTimeInMillis) return new AbortController().signal;
  const remainingMs = getRemainingTimeInMillis() - timeouts.earlyResponseMs;
  // A context by hand may have any time, and no timer takes a longer one than 32 bits.
  return AbortSignal.timeout(Math.min(Math.max(0, remainingMs), timeouts.functionSeconds * 1000));
}

type Values = Record<string, string | string[]>;
type Sent<T> = { [name: string]: T | null | undefined } | null | undefined;

/**
 * Merges the values and the lists of an event, by names in the form that `toName` returns.
 *
 * A name that is sent twice, or in two spellings, has an array.
 */
function mergeValues(
  values: Sent<string>,
  lists: Sent<string[]>,
  toName: (name: string) => string,
): Values {
  const merged = copyOf<Values[string]>(null);
  for (const [sentName, sent] of Object.entries({ ...values, ...lists })) {
    const value = sent ?? [];
    const name = toName(sentName);
    const all = name in merged ? [merged[name] ?? [], value].flat() : value;
    merged[name] = typeof all === 'string' || all.length > 1 ? all : (all[0] ?? '');
  }
  return merged;
}

/** The copy has no prototype, so `__proto__` is an ordinary name. */
function copyOf<T>(map: Sent<T>): Record<string, T> {
  return Object.assign(Object.create(null), map);
}
