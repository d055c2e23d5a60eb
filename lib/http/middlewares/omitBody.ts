import type { ApiMiddleware, ApiRequest } from '../event.ts';

/** Responds to HEAD with the status and headers of GET, and without a body (RFC 9110, 9.3.2). */
export function omitBody(): ApiMiddleware {
  function omitBody({ event, response }: ApiRequest) {
    if (response && event.method === 'HEAD') response.body = '';
  }
  return { after: omitBody, onError: omitBody };
}
