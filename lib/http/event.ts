import type middy from '@middy/core';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import type { ApiError } from '../errors.ts';
import type { Log } from '../logging.ts';

/** The proxy event of a REST API, or one that was written by hand and lacks parts. */
export type RawEvent = Nullable<
  Omit<APIGatewayProxyEvent, 'requestContext'> & {
    requestContext: Nullable<APIGatewayProxyEvent['requestContext']>;
  }
>;

/** An object whose members may be `null` or missing. */
type Nullable<T> = { [Key in keyof T]?: T[Key] | null | undefined };

/** The parts of a request that the middleware stack and the operations read. */
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
  /** The public id of the caller's API key, after authentication. */
  apiKeyId?: string;
  /** The validated parts of the request that the operation reads. */
  input?: unknown;
  /** Logs an event of this request. */
  log: Log;
  /** What an operation adds to the log line of its request. Never text, which a client may have written. */
  logFields: Record<string, number | bigint>;
};

export type ApiResponse = { statusCode: number; headers: Record<string, string>; body: string };

/** State that the middlewares of a request share, in addition to the event. */
type Internal = {
  startedAtMs?: number;
  /** The decoded body, before parsing. */
  bodyText?: string;
  /** The error before it became a response. */
  apiError?: ApiError;
};

export type ApiRequest = middy.Request<ApiEvent, ApiResponse, Error, Context, Internal>;

/** A hook throws to reject a request and assigns `request.response` to respond. It returns nothing. */
type Hook = (request: ApiRequest) => void | Promise<void>;

export type ApiMiddleware = { before?: Hook; after?: Hook; onError?: Hook };
