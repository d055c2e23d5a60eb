import { ApiError } from '../../errors.ts';
import type { ApiMiddleware } from '../event.ts';

/** Turns every error into one that `@middy/http-error-handler` sends unchanged: its message is the body. */
export function formatErrors(): ApiMiddleware {
  return {
    onError: function formatErrors(request) {
      const apiError = toApiError(request.error);
      request.event.apiError = apiError;
      request.error = Object.assign(new Error(JSON.stringify(apiError)), {
        statusCode: apiError.status,
        headers: apiError.headers,
        expose: true,
      });
    },
  };
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError(
    'internal_error',
    'Something went wrong inside the service. Its operators find the cause by the X-Request-Id.',
    { cause: error },
  );
}
