import { log } from '../log.ts';
import type { ApiMiddleware, ApiRequest } from './ApiMiddleware.ts';

/** Writes one line a request: what was asked, by which key, how it ended, and why if it failed. */
export function requestLogged(operation: string): ApiMiddleware {
  function logRequest(request: ApiRequest) {
    const { event, response, internal } = request;
    const status = response?.statusCode ?? 500;
    log(status < 500 ? 'INFO' : 'ERROR', 'Request handled', {
      requestId: event.requestId,
      operation,
      status,
      code: internal.apiError?.code,
      apiKeyId: event.apiKeyId,
      durationMs: Date.now() - (internal.startedAtMs ?? Date.now()),
      cause: status < 500 ? undefined : (internal.apiError?.cause ?? internal.apiError),
    });
  }

  return {
    before: function startClock(request) {
      request.internal.startedAtMs = Date.now();
    },
    after: logRequest,
    onError: logRequest,
  };
}
