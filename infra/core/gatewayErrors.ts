import { type ErrorCode, retryAfter } from '../../lib/errors.ts';
import { limits } from '../../lib/schemas.ts';

export type GatewayError = { code: ErrorCode; message: string; headers?: Record<string, string> };

/**
 * The errors that API Gateway sends without calling a function, by its response type.
 *
 * `DEFAULT_4XX` and `DEFAULT_5XX` cover the other types, which this API rarely sends. The texts are literals:
 * for some types, the gateway's own message repeats the Authorization header.
 */
export const gatewayErrors = {
  // For a Host header that differs from the server name of the TLS connection: see `tlsPolicy`.
  ACCESS_DENIED: { code: 'forbidden', message: 'The request is not allowed.' },
  DEFAULT_4XX: { code: 'bad_request', message: 'The request is not valid.' },
  DEFAULT_5XX: {
    code: 'internal_error',
    message: 'The service failed to respond. Its operators find the cause by the X-Request-Id.',
  },
  // A function crashed, is throttled, or may not be invoked. Another instance may serve a retry, so it is a 503.
  INTEGRATION_FAILURE: {
    code: 'service_unavailable',
    message: 'The service is not available: send the request again later.',
    headers: retryAfter,
  },
  INTEGRATION_TIMEOUT: {
    code: 'gateway_timeout',
    message: 'The service did not respond in time: send the request again later.',
  },
  // Despite the name, API Gateway sends this for a method that `ANY` does not cover, such as PROPFIND.
  MISSING_AUTHENTICATION_TOKEN: { code: 'not_found', message: 'There is no such path.' },
  REQUEST_TOO_LARGE: {
    code: 'payload_too_large',
    message: `The body must not exceed ${limits.body.maxBytes} bytes.`,
  },
  THROTTLED: {
    code: 'too_many_requests',
    message: 'There are too many requests: wait before you send the next one.',
    headers: retryAfter,
  },
  UNSUPPORTED_MEDIA_TYPE: {
    code: 'unsupported_media_type',
    // The gateway decompresses bodies, and rejects a body that it cannot decompress.
    message: 'Send JSON as application/json, plain or with the Content-Encoding gzip or deflate.',
  },
} satisfies Record<string, GatewayError>;
