import { type ErrorCode, retryAfter } from '../lib/errors.ts';
import { challenge } from '../lib/operations.ts';
import { limits } from '../lib/schemas.ts';

type GatewayError = { code: ErrorCode; message: string; headers?: Record<string, string> };

const malformed: GatewayError = { code: 'bad_request', message: 'The request is not valid.' };
const forbidden: GatewayError = { code: 'forbidden', message: 'The request is not allowed.' };
const notFound: GatewayError = { code: 'not_found', message: 'There is no such path.' };
const misconfigured: GatewayError = {
  code: 'internal_error',
  message: 'The service failed to respond. Its operators find the cause by the X-Request-Id.',
};
const tooMany: GatewayError = {
  code: 'too_many_requests',
  message: 'There are too many requests: wait before you send the next one.',
  headers: retryAfter,
};

/**
 * The error of each of the 21 response types that API Gateway sends without calling a function.
 *
 * The fallback function handles unknown paths and methods, so API Gateway sends few of them. The texts are
 * literals: for some types, the gateway's own message repeats the Authorization header.
 */
export const gatewayErrors: Record<string, GatewayError> = {
  ACCESS_DENIED: forbidden,
  API_CONFIGURATION_ERROR: misconfigured,
  AUTHORIZER_CONFIGURATION_ERROR: misconfigured,
  AUTHORIZER_FAILURE: misconfigured,
  BAD_REQUEST_BODY: malformed,
  BAD_REQUEST_PARAMETERS: malformed,
  DEFAULT_4XX: malformed,
  DEFAULT_5XX: misconfigured,
  EXPIRED_TOKEN: forbidden,
  INTEGRATION_FAILURE: {
    code: 'service_unavailable',
    message: 'The service is not available: send the request again later.',
    headers: retryAfter,
  },
  INTEGRATION_TIMEOUT: {
    code: 'gateway_timeout',
    message: 'The service did not respond in time: send the request again later.',
  },
  INVALID_API_KEY: forbidden,
  INVALID_SIGNATURE: forbidden,
  // Despite its name, sent for a path or method that the API does not have.
  MISSING_AUTHENTICATION_TOKEN: notFound,
  QUOTA_EXCEEDED: tooMany,
  REQUEST_TOO_LARGE: {
    code: 'payload_too_large',
    message: `The body must not exceed ${limits.body.maxBytes} bytes.`,
  },
  RESOURCE_NOT_FOUND: notFound,
  THROTTLED: tooMany,
  UNAUTHORIZED: {
    code: 'unauthorized',
    message: 'Send an API key in the header Authorization: Bearer <API_KEY>.',
    headers: { 'WWW-Authenticate': challenge },
  },
  UNSUPPORTED_MEDIA_TYPE: {
    code: 'unsupported_media_type',
    // The gateway decompresses bodies, and refuses those that it cannot.
    message: 'Send JSON as application/json, plain or with the Content-Encoding gzip or deflate.',
  },
  // The firewall blocks only an address with too many requests, which it counts over a minute.
  WAF_FILTERED: { ...tooMany, headers: { 'Retry-After': '60' } },
};
