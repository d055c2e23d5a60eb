import { requestMetrics } from '../../metrics.ts';
import type { ApiMiddleware, ApiRequest } from '../event.ts';

/** Logs one line for each request. CloudWatch reads the metrics from the same line. */
export function logRequest(operation: string): ApiMiddleware {
  function logRequest({ event, response }: ApiRequest) {
    const { startedAtMs, apiError } = event;
    const status = response?.statusCode ?? 500;
    const isServerError = status >= 500;
    event.log(isServerError ? 'request_failed' : 'request_handled', {
      requestId: event.requestId,
      operation,
      status,
      errorCode: apiError?.code,
      apiKeyId: event.apiKeyId,
      durationMs: Date.now() - startedAtMs,
      // The cause of a 4xx may contain what the client sent; the error code is enough.
      cause: isServerError ? (apiError?.cause ?? apiError) : undefined,
      ...event.logFields,
      ...requestMetrics({ status }),
    });
  }

  return { after: logRequest, onError: logRequest };
}
