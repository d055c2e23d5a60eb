import { ApiError } from '../../errors.ts';
import type { ApiMiddleware } from '../event.ts';

/**
 * Turns every error into one that `@middy/http-error-handler` sends unchanged.
 *
 * Its message is the Error body. It carries the status and the headers.
 */
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
  if (isParserError(error)) return fromParserError(error);
  return new ApiError(
    'internal_error',
    'Something went wrong inside the service. Its operators find the cause by the X-Request-Id.',
    { cause: error },
  );
}

/** An error of `@middy/http-json-body-parser`. Its text and its 422 are not in the interface. */
type ParserError = Error & { cause: { message?: string } };

function isParserError(error: unknown): error is ParserError {
  const cause = (error as { cause?: { package?: unknown } } | null | undefined)?.cause;
  return cause?.package === '@middy/http-json-body-parser';
}

function fromParserError({ cause: { message } }: ParserError): ApiError {
  if (message === undefined) {
    return new ApiError(
      'bad_request',
      'The body must not have a member named __proto__, nor a constructor with a prototype.',
    );
  }
  const [place] = /line \d+ column \d+/.exec(message) ?? [];
  // Other messages of V8 quote the body.
  const endsEarly = message === 'Unexpected end of JSON input';
  const hint = place ? `: look at ${place}` : endsEarly ? ': it ends too early' : '';
  return new ApiError('bad_request', `The body is not valid JSON${hint}.`);
}
