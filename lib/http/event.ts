import type middy from '@middy/core';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { timeouts } from '../config.ts';
import type { RequestContext } from '../dynamodb/client.ts';
import type { ApiError } from '../errors.ts';
import { requestLog } from '../logging.ts';

/** The proxy event of a REST API, or one that was written by hand, in which any part may be missing or `null`. */
export type RawEvent = Nullable<APIGatewayProxyEvent>;

type Nullable<T> = { [Key in keyof T]?: Nullable<T[Key]> | null | undefined };

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
  pathParameters: Values;
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

/** Returns an event in its normalised form, in which no part is `null` or missing, and every value is a text. */
export function toApiEvent(event: RawEvent, context: Partial<Context>): ApiEvent {
  const { requestContext } = event;
  return {
    requestId: requestContext?.requestId ?? crypto.randomUUID(),
    method: event.httpMethod ?? '',
    path: event.path ?? '',
    publicPath: requestContext?.path ?? undefined,
    domainName: requestContext?.domainName ?? undefined,
    headers: {
      'content-type': 'application/json', // without the header, a body is JSON
      ...mergeValues(event.headers, lowerCase),
      ...mergeValues(event.multiValueHeaders, lowerCase),
    },
    pathParameters: mergeValues(event.pathParameters),
    query: {
      ...mergeValues(event.queryStringParameters),
      ...mergeValues(event.multiValueQueryStringParameters),
    },
    body: event.body ?? null,
    isBase64Encoded: event.isBase64Encoded ?? false,
    startedAtMs: Date.now(),
    log: requestLog(context),
    logFields: {},
    abortSignal: timeLimit(context),
  };
}

/** The longest time-out of Lambda. */
const longestTimeMs = 15 * 60_000;

/** Returns a signal that aborts shortly before Lambda would end the function, and never elsewhere. */
function timeLimit({ getRemainingTimeInMillis }: Partial<Context>): AbortSignal {
  if (!getRemainingTimeInMillis) return new AbortController().signal;
  // A mock may return Infinity, which no timer takes.
  const remainingMs = Math.min(getRemainingTimeInMillis(), longestTimeMs);
  return AbortSignal.timeout(Math.max(0, remainingMs - timeouts.earlyResponseMs));
}

type Values = Record<string, string | string[]>;

type RawValues = Nullable<Record<string, string | string[]>> | null | undefined;

const lowerCase = (name: string) => name.toLowerCase();

/**
 * Merges the values of an event by names in the form that `toName` returns.
 *
 * A name that is sent twice, or in two spellings, has an array. A value that is `null` counts as missing.
 */
function mergeValues(values: RawValues, toName = (name: string) => name): Values {
  // Without a prototype, `constructor` is an ordinary name.
  const merged: Values = Object.create(null);
  for (const [sentName, sent] of Object.entries(values ?? {})) {
    const name = toName(sentName);
    const sentValues = [merged[name], sent].flat().filter((each) => each != null);
    const texts = sentValues.map(String);
    const [text] = texts;
    if (text !== undefined) merged[name] = texts.length > 1 ? texts : text;
  }
  return merged;
}
