/** The error codes, each with its HTTP status. Clients treat a code that they do not know by its status. */
export const errorStatuses = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  payload_too_large: 413,
  unsupported_media_type: 415,
  idempotency_key_reused: 422,
  too_many_requests: 429,
  internal_error: 500,
  service_unavailable: 503,
  gateway_timeout: 504,
} as const;

export type ErrorCode = keyof typeof errorStatuses;

type ApiErrorOptions = { headers?: Record<string, string>; cause?: unknown };

/**
 * An error that is sent to the client.
 *
 * `message` is public. It says what is wrong and what to change, and never contains a key, a path or the
 * name of a library. `cause` is private and goes only to the log.
 */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, message: string, { headers = {}, cause }: ApiErrorOptions = {}) {
    super(message, { cause });
    this.code = code;
    this.headers = headers;
  }

  get status() {
    return errorStatuses[this.code];
  }

  /** Returns the body of the error response. */
  toJSON() {
    return { code: this.code, message: this.message, status: this.status };
  }
}

/** The header of a 429 and a 503. Before a 503 the SDK has waited and retried, so a shorter time would not help. */
export const retryAfter = { 'Retry-After': '1' };

export function serviceUnavailable(message: string, cause?: unknown): ApiError {
  return new ApiError('service_unavailable', message, { headers: retryAfter, cause });
}
