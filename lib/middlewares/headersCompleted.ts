import { commonHeaders } from '../commonHeaders.ts';
import type { ApiMiddleware, ApiRequest } from './ApiMiddleware.ts';

/** Puts on every response what every response carries. */
export function headersCompleted(): ApiMiddleware {
  function completeHeaders({ event, response }: ApiRequest) {
    const ownHeaders = { 'X-Request-Id': event.requestId };
    if (response) Object.assign(response.headers, commonHeaders, ownHeaders);
  }

  return { after: completeHeaders, onError: completeHeaders };
}
