/** The closed list of error codes, each with the one HTTP status that it is sent with. */
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
 * An error that the client is told of.
 *
 * `message` is public: it names what is at fault and what would be right, and never a key, a path
 * or a library. `cause` is private: it goes to the log and nowhere else.
 */
export class ApiError extends Error {
  override name = 'ApiError';
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

  /** The body of the error response, as the interface has it. */
  toJSON() {
    return { code: this.code, message: this.message, status: this.status };
  }
}
