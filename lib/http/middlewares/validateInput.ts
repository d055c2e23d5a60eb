import * as z from 'zod/mini';
import { ApiError } from '../../errors.ts';
import type { Operation } from '../../operations.ts';
import type { ApiMiddleware } from '../event.ts';

/** Sets `event.input` to the parts of the request that the operation reads, checked by its schemas. */
export function validateInput({ path, ...others }: Operation['input']): ApiMiddleware {
  const input = z.object(others as Record<string, z.ZodMiniType>);

  return {
    before: function validateInput({ event }) {
      // A path parameter that is not valid names no resource: 404, not 400.
      const pathResult = path?.safeParse(event.pathParameters);
      if (pathResult?.error) throw notFound(pathResult.error);

      const { query, body, headers } = event;
      const result = input.safeParse({ query, body, headers }, { reportInput: true });
      if (result.error) throw badRequest(result.error);
      event.input = { path: pathResult?.data, ...result.data };
    },
  };
}

function notFound({ issues }: z.core.$ZodError): ApiError {
  return new ApiError('not_found', `${issues[0]?.message}`);
}

/** Lists all faults in one message: each field with the sentence that says what is valid. */
function badRequest({ issues }: z.core.$ZodError): ApiError {
  const faults = issues.map(({ path: [, ...field], input, message }) => {
    const isMissing = field.length > 0 && input === undefined;
    return `${field.join('.')} ${isMissing ? 'is missing: it ' : ''}${message}`.trimStart();
  });
  return new ApiError('bad_request', `${faults.join('; ')}.`);
}
