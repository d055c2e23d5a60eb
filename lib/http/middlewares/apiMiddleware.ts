import type middy from '@middy/core';
import type { Context } from 'aws-lambda';
import type { ApiError } from '../../errors.ts';
import type { ApiEvent } from '../event.ts';

export type ApiResponse = { statusCode: number; headers: Record<string, string>; body: string };

/** State that the middlewares of one request share, in addition to the event. */
type Internal = {
  startedAtMs?: number;
  /** The decoded body, before parsing. */
  bodyText?: string;
  /** The error before it became a response. */
  apiError?: ApiError;
};

export type ApiRequest = middy.Request<ApiEvent, ApiResponse, Error, Context, Internal>;

/** A hook throws to refuse a request and assigns `request.response` to respond. It returns nothing. */
type Hook = (request: ApiRequest) => void | Promise<void>;

export type ApiMiddleware = { before?: Hook; after?: Hook; onError?: Hook };
