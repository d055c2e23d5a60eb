import * as z from 'zod/mini';
import { type ErrorCode, errorStatuses } from '../../../lib/errors.ts';
import type { Operation, OperationName } from '../../../lib/operations.ts';
import { describeParameters } from './describeParameters.ts';
import { type JsonSchema, referTo } from './describeSchemas.ts';

/** The body of a real response, by operation and status. */
export type Examples = Map<string, unknown>;

export function exampleId(name: OperationName, status: number): string {
  return `${name} ${status}`;
}

const text = { type: 'string' };

/** The response headers, each described once. */
const headers = {
  CacheControl: {
    description: 'Nothing is to be kept.',
    schema: { ...text, enum: ['no-store'] },
    required: true,
  },
  ContentTypeOptions: {
    description: 'The media type is as declared.',
    schema: { ...text, enum: ['nosniff'] },
    required: true,
  },
  RequestId: {
    description: 'Names the request to the operators.',
    schema: { ...text, minLength: 1 },
    required: true,
  },
  Location: {
    description: 'The address of the animal.',
    schema: { ...text, pattern: '/pets/[0-9]+$' },
    required: true,
  },
  NextLink: {
    description:
      'The next page, as `<address>; rel="next"` (RFC 8288). Absent on the last page, which may be empty.',
    schema: { ...text, pattern: '^<.+>; rel="next"$' },
  },
  Deprecation: {
    description: 'Since when the operation is deprecated (RFC 9745).',
    schema: { ...text, pattern: '^@[0-9]+$' },
  },
  Sunset: {
    description: 'When the operation is removed (RFC 8594).',
    schema: { ...text, pattern: ' GMT$' },
  },
  SuccessorLink: {
    description: 'What to use instead, as `<address>; rel="successor-version"` (RFC 8288).',
    schema: { ...text, pattern: '^<.+>; rel="successor-version"$' },
  },
  RetryAfter: {
    description: 'Seconds to wait before the request is sent again.',
    schema: { ...text, pattern: '^[0-9]+$' },
    required: true,
  },
  Challenge: {
    description:
      "How to authenticate (RFC 6750). From API Gateway's own addresses it arrives as `x-amzn-remapped-www-authenticate`.",
    schema: { ...text, pattern: '^Bearer realm="petstore"' },
  },
};

/** The headers of `#/components/headers`. */
export function describeHeaders(): JsonSchema {
  return headers;
}

function header(id: keyof typeof headers): JsonSchema {
  return { $ref: `#/components/headers/${id}` };
}

/** What an error means to a client, and the headers that come with it. */
const errors: Record<ErrorCode, { description: string; headers?: JsonSchema }> = {
  bad_request: {
    description: 'A parameter or the body is not valid, or the request is no HTTP.',
  },
  unauthorized: {
    description: 'API key missing or invalid.',
    headers: { 'WWW-Authenticate': header('Challenge') },
  },
  forbidden: { description: 'The gateway refuses the request.' },
  not_found: { description: 'The requested resource could not be found.' },
  method_not_allowed: { description: 'The path has no such method.' },
  payload_too_large: {
    description: 'The body exceeds 64 KiB, or the request the 10 MB of the gateway.',
  },
  unsupported_media_type: { description: 'The body is not declared as JSON.' },
  idempotency_key_reused: {
    description: 'The Idempotency-Key was used for another body within 24 hours.',
  },
  too_many_requests: {
    description: 'The rate limit is reached.',
    headers: { 'Retry-After': header('RetryAfter') },
  },
  internal_error: { description: 'A fault of the service.' },
  service_unavailable: {
    description: 'The store is busy or out of reach: send the request again later.',
    headers: { 'Retry-After': header('RetryAfter') },
  },
  gateway_timeout: { description: 'The service did not answer in time: send the request again.' },
};

/** The `responses` of an operation: its success, and every error that it can end in. */
export function describeResponses(
  name: OperationName,
  operation: Operation,
  examples: Examples,
): JsonSchema {
  const { successStatus, output, deprecation, stability } = operation;
  const common = {
    'Cache-Control': header('CacheControl'),
    'X-Content-Type-Options': header('ContentTypeOptions'),
    'X-Request-Id': header('RequestId'),
    ...(stability && {
      'X-Stability': {
        description: 'The operation may still change without notice.',
        schema: { ...text, enum: [stability] },
        required: true,
      },
    }),
    ...(deprecation && {
      Deprecation: header('Deprecation'),
      Sunset: header('Sunset'),
      Link: header('SuccessorLink'),
    }),
  };
  const success = {
    description: 'Success.',
    headers: {
      ...common,
      ...(successStatus === 201 && { Location: header('Location') }),
      ...(output instanceof z.ZodMiniArray && { Link: header('NextLink') }),
    },
    content: jsonContent(referTo(output), examples.get(exampleId(name, successStatus))),
  };
  const failures = errorCodesOf(operation).map((code) => {
    const status = errorStatuses[code];
    const example = examples.get(exampleId(name, status));
    const { description, headers } = errors[code];
    const content = jsonContent({ $ref: '#/components/schemas/Error' }, example);
    return [status, { description, headers: { ...common, ...headers }, content }];
  });
  return { [successStatus]: success, ...Object.fromEntries(failures) };
}

function jsonContent(schema: JsonSchema, example: unknown): JsonSchema {
  if (example === undefined) throw new Error('A response of the description has no example yet.');
  return { 'application/json': { schema, example } };
}

/** Every error that an operation can end in, whoever sends it. */
function errorCodesOf({ input }: Operation): ErrorCode[] {
  const hasIdempotencyKey = describeParameters(input).some(
    ({ name }) => name === 'Idempotency-Key',
  );
  return [
    'bad_request',
    'unauthorized',
    'forbidden',
    ...(input.path ? (['not_found'] as const) : []),
    'payload_too_large',
    ...(input.body ? (['unsupported_media_type'] as const) : []),
    ...(hasIdempotencyKey ? (['idempotency_key_reused'] as const) : []),
    'too_many_requests',
    'internal_error',
    'service_unavailable',
    'gateway_timeout',
  ];
}
