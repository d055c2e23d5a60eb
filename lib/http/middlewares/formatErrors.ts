import { ApiError } from '../../errors.ts';
import type { ApiMiddleware } from '../event.ts';

/** Returns the error that the client gets instead of an error that is no `ApiError`. */
export function internalError(cause?: unknown): ApiError {
  const message =
    'Something went wrong inside the service. Its operators find the cause by the X-Request-Id.';
  return new ApiError('internal_error', message, { cause });
}

/** Responds to an `ApiError` with the Error body. `@middy/http-error-handler` responds to all other errors. */
export function formatErrors(): ApiMiddleware {
  return {
    onError: function formatErrors(request) {
      const { event, error } = request;
      if (!(error instanceof ApiError)) {
        event.apiError = internalError(error);
        // The error handler would send the message of an error that has a `statusCode`.
        request.error = new Error();
        return;
      }
      event.apiError = error;
      request.response = {
        statusCode: error.status,
        headers: { 'Content-Type': 'application/json', ...error.headers },
        body: JSON.stringify(error),
      };
    },
  };
}
