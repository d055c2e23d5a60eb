// `@middy/http-error-handler` turns the error into a response with its status, headers and media type. Its own
// body is not used: it would be a bare message, or nothing for an unexpected error, and not the Error body.

import { ApiError } from '../../errors.ts';
import type { ApiMiddleware } from '../event.ts';

/** Returns the error that the client gets instead of an error that is no `ApiError`. */
function internalError(cause: unknown): ApiError {
  const message =
    'Something went wrong inside the service. Its operators find the cause by the X-Request-Id.';
  return new ApiError('internal_error', message, { cause });
}

/** Replaces each error by the one that `@middy/http-error-handler` sends: an `ApiError` with the Error body. */
export function formatErrors(): ApiMiddleware {
  return {
    onError: function formatErrors(request) {
      const { event, error } = request;
      const apiError = error instanceof ApiError ? error : internalError(error);
      event.apiError = apiError;
      const { status: statusCode, headers } = apiError;
      const message = JSON.stringify(apiError);
      request.error = Object.assign(new Error(message), { statusCode, headers, expose: true });
    },
  };
}
