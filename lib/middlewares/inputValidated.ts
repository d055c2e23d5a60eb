import * as z from 'zod/mini';
import { ApiError } from '../ApiError.ts';
import type { ApiEvent } from '../ApiEvent.ts';
import type { Operation } from '../operations.ts';
import type { ApiMiddleware } from './ApiMiddleware.ts';

/** Makes `event.input` what the operation reads of the request, checked and typed by its schemas. */
export function inputValidated({ path, ...others }: Operation['input']): ApiMiddleware {
  const input = z.object(others as Record<string, z.ZodMiniType>);

  return {
    before: function validateInput({ event }) {
      // A path that cannot name a resource names none: 404, and not a fault to correct.
      const pathResult = path?.safeParse(event.pathParameters);
      if (pathResult?.error) throw notFound(pathResult.error);

      const { query, body } = event;
      const headers = others.headers && headersOf(event);
      const result = input.safeParse({ query, body, headers });
      if (result.error) throw badRequest(result.error);
      event.input = { path: pathResult?.data, ...result.data };
    },
  };
}

/** A header that was sent twice is an array, as a query parameter is. */
function headersOf({ headers, multiValueHeaders }: ApiEvent): ApiEvent['query'] {
  const repeated = Object.entries(multiValueHeaders).filter(([, values]) => values.length > 1);
  return repeated.length === 0 ? headers : { ...headers, ...Object.fromEntries(repeated) };
}

function notFound({ issues }: z.core.$ZodError): ApiError {
  return new ApiError('not_found', `${issues[0]?.message}`);
}

/** All faults in one answer: each field with the sentence that says what would be right. */
function badRequest({ issues }: z.core.$ZodError): ApiError {
  const faults = issues.map(({ path: [, ...field], message }) => [...field, message].join(' '));
  return new ApiError('bad_request', `${[...new Set(faults)].join('; ')}.`);
}
