import type middy from '@middy/core';
import type { Context } from 'aws-lambda';
import type { ApiError } from '../ApiError.ts';
import type { ApiEvent } from '../ApiEvent.ts';

export type ApiResponse = { statusCode: number; headers: Record<string, string>; body: string };

/** What the middlewares of one request tell each other beside the event. */
type Internal = {
  startedAtMs?: number;
  /** The body as it was sent, decoded. */
  bodyText?: string;
  /** The error that the client is told of, before it became a response. */
  apiError?: ApiError;
};

export type ApiRequest = middy.Request<ApiEvent, ApiResponse, Error, Context, Internal>;

/** A hook throws to refuse and assigns `request.response` to answer; it never returns a value. */
type Hook = (request: ApiRequest) => void | Promise<void>;

export type ApiMiddleware = { before?: Hook; after?: Hook; onError?: Hook };
