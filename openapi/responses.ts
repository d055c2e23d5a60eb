import * as z from 'zod/mini';
import type { oas31, ZodOpenApiResponseObject } from 'zod-openapi';
import { type ErrorCode, errorStatuses } from '../lib/errors.ts';
import type { Operation } from '../lib/operations.ts';
import { ErrorBody } from '../lib/schemas.ts';
import type { ErrorDescriptions, OperationDescriptions } from './descriptions.ts';
import { describeHeader, type Headers, references, type SharedHeader } from './headers.ts';

/** No operation returns 405: the fallback does. */
type OperationError = Exclude<ErrorCode, 'method_not_allowed'>;

/**
 * The meaning of an error for a client. docs/guide/retries.md says which to retry. A 404 names its
 * resource.
 */
const sharedErrors: Readonly<
  Record<Exclude<OperationError, 'not_found'>, ErrorDescriptions & { headers?: SharedHeader[] }>
> = {
  bad_request: {
    description: 'The request is invalid. `message` names each fault.',
    message: 'The request is not valid.',
  },
  unauthorized: {
    description: 'API key missing or invalid.',
    message: 'Send an API key in the header Authorization: Bearer <API_KEY>.',
    headers: ['WWW-Authenticate'],
  },
  forbidden: {
    description:
      'The gateway refuses the request, because its Host header names another host than the TLS connection.',
    message: 'The request is not allowed.',
  },
  payload_too_large: {
    description: 'The body exceeds 64 KiB.',
    message: 'The body must not exceed 65536 bytes.',
  },
  unsupported_media_type: {
    description: 'The body is not JSON, or has an unsupported Content-Encoding.',
    message: 'The Content-Type must be application/json.',
  },
  idempotency_key_reused: {
    description: 'The Idempotency-Key was used with another body within 24 hours.',
    message:
      'This Idempotency-Key was used for another body within 24 hours: send a new key with a new body.',
  },
  too_many_requests: {
    description: 'A rate limit is reached.',
    message: 'There are too many requests: wait before you send the next one.',
    headers: ['Retry-After'],
  },
  internal_error: {
    description: 'A fault of the service.',
    message:
      'Something went wrong inside the service. Its operators find the cause by the X-Request-Id.',
  },
  service_unavailable: {
    description: 'The service or its store is busy or unreachable: retry later.',
    message: 'The store did not respond in time: send the request again later.',
    headers: ['Retry-After'],
  },
  gateway_timeout: {
    description: 'The service did not respond in time: retry later.',
    message: 'The service did not respond in time: send the request again later.',
  },
};

/** What only the gateway refuses: for an operation without a body, or with no input but a path. */
const gatewayErrors = {
  bad_request: { ...sharedErrors.bad_request, description: 'The gateway cannot read the request.' },
  payload_too_large: {
    ...sharedErrors.payload_too_large,
    description: 'The request is too large.',
  },
};

/** `bad_request` becomes `BadRequest`. */
function responseName(code: ErrorCode): string {
  return code.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** The headers of every response of an operation. */
function operationHeaders({ deprecation }: Operation): Headers {
  return references(
    ...(['Cache-Control', 'X-Content-Type-Options', 'X-Request-Id'] as const),
    ...(deprecation ? (['Deprecation', 'Sunset', 'Link'] as const) : []),
  );
}

/**
 * The responses of `#/components/responses`, one for each error that operations share.
 *
 * They have every header that an operation may add.
 */
export function describeErrors(operations: Operation[]): Record<string, ZodOpenApiResponseObject> {
  const shared: Headers = Object.assign({}, ...operations.map(operationHeaders));
  const codes = new Set(operations.flatMap(errorCodesOf));
  return Object.fromEntries(
    [...codes].flatMap((code) =>
      code === 'not_found'
        ? []
        : [[responseName(code), describeError(code, sharedErrors[code], shared)]],
    ),
  );
}

function describeError(
  code: OperationError,
  { description, message }: ErrorDescriptions,
  headers: Headers,
): ZodOpenApiResponseObject {
  const example = { code, message, status: errorStatuses[code] };
  const added = code === 'not_found' ? [] : (sharedErrors[code].headers ?? []);
  return {
    description,
    headers: { ...headers, ...references(...added) },
    content: { 'application/json': { schema: ErrorBody, example } },
  };
}

/** An id that cannot exist gets the 404 of an unknown one, so the schema of the path has its message. */
function describeUnknownId(path: z.ZodMiniType): ErrorDescriptions {
  const message = z.safeParse(path, {}).error?.issues.at(-1)?.message ?? '';
  return { description: message, message };
}

/** The `responses` of an operation: its success, and every error that it can return. */
export function describeResponses(
  operation: Operation,
  { response, errors: ownTexts = {} }: OperationDescriptions,
): Record<string, ZodOpenApiResponseObject | oas31.ReferenceObject> {
  const { method, path, input, successStatus, output, responseHeaders = [] } = operation;
  const ownHeaders = responseHeaders.map((name) => [name, describeHeader(name, path)]);
  const success = {
    description: response.description,
    headers: { ...operationHeaders(operation), ...Object.fromEntries(ownHeaders) },
    ...(output && {
      content: { 'application/json': { schema: output, example: response.example } },
    }),
  };
  const descriptions: OperationDescriptions['errors'] = {
    ...(!input.body && { payload_too_large: gatewayErrors.payload_too_large }),
    ...(!(input.body ?? input.query ?? input.headers) && {
      bad_request: gatewayErrors.bad_request,
    }),
    ...(method !== 'GET' && {
      forbidden: {
        description:
          'The API key may only read, or the Host header names another host than the TLS connection.',
        message: 'This API key may only read.',
      },
    }),
    ...(input.path && { not_found: describeUnknownId(input.path) }),
    ...ownTexts,
  };
  const errors = errorCodesOf(operation).map((code) => {
    const own = descriptions[code];
    // Readers of the document ignore a description beside a reference.
    const described = own
      ? describeError(code, own, operationHeaders(operation))
      : { $ref: `#/components/responses/${responseName(code)}` };
    return [errorStatuses[code], described];
  });
  return { [successStatus]: success, ...Object.fromEntries(errors) };
}

/** The errors of every operation, from its middlewares or from the gateway. */
const commonErrors: readonly OperationError[] = [
  'bad_request',
  'unauthorized',
  'forbidden',
  'payload_too_large',
  'too_many_requests',
  'internal_error',
  'service_unavailable',
  'gateway_timeout',
];

/** Every error that an operation can return, from the service or from the gateway. */
function errorCodesOf({ input }: Operation): OperationError[] {
  const { shape = {} } = input.headers ?? {};
  const isOwn: Partial<Record<ErrorCode, boolean>> = {
    not_found: input.path !== undefined,
    unsupported_media_type: input.body !== undefined,
    idempotency_key_reused: 'idempotency-key' in shape,
  };
  const codes = [...Object.keys(sharedErrors), 'not_found'] as OperationError[];
  return codes.filter((code) => commonErrors.includes(code) || isOwn[code]);
}
