import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import httpErrorHandler from '@middy/http-error-handler';
import httpHeaderNormalizer from '@middy/http-header-normalizer';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import type { Context } from 'aws-lambda';
import { ApiError } from './ApiError.ts';
import type { ApiEvent, RawEvent } from './ApiEvent.ts';
import { config } from './config.ts';
import { logger } from './log.ts';
import type { ApiMiddleware, ApiResponse } from './middlewares/ApiMiddleware.ts';
import { bodyDecoded } from './middlewares/bodyDecoded.ts';
import { callerAuthenticated } from './middlewares/callerAuthenticated.ts';
import { deprecationAnnounced } from './middlewares/deprecationAnnounced.ts';
import { errorTranslated } from './middlewares/errorTranslated.ts';
import { eventNormalized } from './middlewares/eventNormalized.ts';
import { faultInjected } from './middlewares/faultInjected.ts';
import { headersCompleted } from './middlewares/headersCompleted.ts';
import { inputValidated } from './middlewares/inputValidated.ts';
import { integersExact } from './middlewares/integersExact.ts';
import { requestCounted } from './middlewares/requestCounted.ts';
import { requestLogged } from './middlewares/requestLogged.ts';
import { stabilityMarked } from './middlewares/stabilityMarked.ts';
import type { Operation } from './operations.ts';

/** A Lambda handler; called by hand it needs neither a whole event nor a context. */
export type Handler = (event: RawEvent, context?: Partial<Context>) => Promise<ApiResponse>;

/** `bodyDecoded` judged the media type, by a pattern that knows every character of one. */
const parseJson = httpJsonBodyParser({ disableContentTypeCheck: true });

/** Enough to send an answer before Lambda ends the function and the gateway answers for it. */
const timeoutEarlyInMillis = 250;

function timeoutEarlyResponse(): never {
  throw new ApiError('service_unavailable', 'The service took too long: send the request again.', {
    headers: { 'Retry-After': '1' },
  });
}

/**
 * Puts the one middleware stack around the logic of a function.
 *
 * `before` hooks run from the top down, `after` and `onError` hooks from the bottom up; so what
 * stands first sees each request first and each response last.
 */
export function requestHandler(
  name: string,
  { input, deprecation, stability }: Pick<Operation, 'input' | 'deprecation' | 'stability'>,
  respond: (event: ApiEvent) => Promise<ApiResponse>,
): Handler {
  const stack = [
    injectLambdaContext(logger),
    eventNormalized(),
    requestLogged(name),
    requestCounted({ operation: name, isDeprecated: deprecation !== undefined }),
    headersCompleted(),
    ...(deprecation ? [deprecationAnnounced(deprecation)] : []),
    ...(stability ? [stabilityMarked(stability)] : []),
    httpErrorHandler({ logger: false }), // requestLogged has the cause, and the key's id beside it
    errorTranslated(),
    httpHeaderNormalizer({ defaultHeaders: { 'Content-Type': 'application/json' } }),
    callerAuthenticated(),
    ...(config.hasFault ? [faultInjected()] : []),
    ...(input.body ? [bodyDecoded(), parseJson, integersExact()] : []),
    inputValidated(input),
  ];
  return middy({ timeoutEarlyInMillis, timeoutEarlyResponse })
    .use(stack as ApiMiddleware[])
    .handler(respond) as unknown as Handler;
}
