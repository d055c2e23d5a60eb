import { config } from '../../config.ts';
import { count, publishCounts } from '../../metrics.ts';
import type { ApiMiddleware, ApiRequest } from './apiMiddleware.ts';

type CountedOperation = { operation: string; isDeprecated: boolean };

/** Publishes the metrics of a request: requests, errors, server errors and deprecated requests. */
export function countRequest({ operation, isDeprecated }: CountedOperation): ApiMiddleware {
  function countRequest({ event, response, internal }: ApiRequest) {
    count('Requests');
    publishCounts({ operation });
    if (internal.apiError) {
      count('Errors');
      publishCounts({ operation, code: internal.apiError.code });
    }
    if (!response || response.statusCode >= 500) {
      count('ServerErrors');
      publishCounts({ operation, version: config.functionVersion });
    }
    if (isDeprecated && event.apiKeyId) {
      count('DeprecatedRequests');
      publishCounts({ operation, apiKeyId: event.apiKeyId });
    }
  }

  return { after: countRequest, onError: countRequest };
}
