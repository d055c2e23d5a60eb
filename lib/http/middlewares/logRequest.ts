import { log } from '../../logging.ts';
import type { ApiMiddleware, ApiRequest } from './apiMiddleware.ts';

/** Logs one line for each request: operation, API key id, status, duration, and the cause of a 5xx. */
export function logRequest(operation: string): ApiMiddleware {
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
      // The cause of a 4xx may contain what the client sent; the error code is enough.
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
