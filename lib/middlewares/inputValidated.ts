import type * as z from 'zod';
import { ApiError } from '../ApiError.ts';
import type { Operation } from '../operations.ts';
import type { ApiMiddleware } from './ApiMiddleware.ts';

/** Makes `event.input` what the operation reads of the request, checked and typed by its schemas. */
export function inputValidated({ path, query, body }: Operation['input']): ApiMiddleware {
  return {
    before: function validateInput({ event }) {
      event.input = {
        // A path that cannot name a resource names none: 404, and not a fault to correct.
        path: path && read(path, event.pathParameters, notFound),
        query: query && read(query, event.query, badRequest),
        body: body && read(body, event.body, badRequest),
      };
    },
  };
}

function read(
  schema: z.ZodType,
  value: unknown,
  refusal: (error: z.ZodError) => ApiError,
): unknown {
  const result = schema.safeParse(value);
  if (!result.success) throw refusal(result.error);
  return result.data;
}

function notFound({ issues }: z.ZodError): ApiError {
  return new ApiError('not_found', `${issues[0]?.message}`);
}

/** All faults in one answer: each field with the sentence that says what would be right. */
function badRequest({ issues }: z.ZodError): ApiError {
  const faults = issues.map(({ path, message }) => [...path, message].join(' '));
  return new ApiError('bad_request', `${[...new Set(faults)].join('; ')}.`);
}
