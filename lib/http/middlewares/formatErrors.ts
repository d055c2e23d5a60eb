// `@middy/http-error-handler` turns an error into a response with the error's status, headers and message. Each
// message is replaced first, because the package would send a plain text, or nothing for an unexpected error.

import { ApiError } from '../../errors.ts';
import type { ApiMiddleware } from '../event.ts';

/** Returns the error that the client gets instead of an error that is no `ApiError`. */
function internalError(cause: unknown): ApiError {
  const message =
    'Something went wrong inside the service. Its operators find the cause by the X-Request-Id.';
  return new ApiError('internal_error', message, { cause });
}

/** Replaces each error by one whose message is the Error body. */
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
