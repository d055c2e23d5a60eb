import { log } from '../log.ts';
import type { ApiMiddleware, ApiRequest } from './ApiMiddleware.ts';

/** Writes one line a request: what was asked, by which key, how it ended, and why if it failed. */
export function requestLogged(operation: string): ApiMiddleware {
  function logRequest({ event, response, internal }: ApiRequest) {
    const { startedAtMs = Date.now(), apiError } = internal;
    const status = response?.statusCode ?? 500;
    const isFault = status >= 500;
    log(isFault ? 'request_failed' : 'request_handled', {
      requestId: event.requestId,
      operation,
      status,
      errorCode: apiError?.code,
      apiKeyId: event.apiKeyId,
      durationMs: Date.now() - startedAtMs,
      // Of a client's mistake the error code is enough, and its cause may hold what was sent.
      cause: isFault ? (apiError?.cause ?? apiError) : undefined,
    });
  }

  return {
    before: function startClock({ internal }) {
      internal.startedAtMs = Date.now();
    },
    after: logRequest,
    onError: logRequest,
  };
}
