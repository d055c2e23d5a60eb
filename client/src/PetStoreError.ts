/** The error codes of this version of the service. */
export type ServiceErrorCode =
  | 'bad_request'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'idempotency_key_reused'
  | 'too_many_requests'
  | 'internal_error'
  | 'service_unavailable'
  | 'gateway_timeout';

/**
 * The codes of the service, and three for failures without a response of the service.
 *
 * A newer service may send other codes: treat such a code by its `status`.
 */
export type PetStoreErrorCode =
  | ServiceErrorCode
  | 'connection_failed'
  | 'timed_out'
  | 'unexpected_response'
  // With a plain `string`, editors would not suggest the known codes.
  | (string & Record<never, never>);

type Details = {
  status?: number;
  requestId?: string | undefined;
  retryAfterSeconds?: number | undefined;
  cause?: unknown;
};

/** A failure of a call: an error response of the service, or a failure on the way to it. */
export class PetStoreError extends Error {
  override name = 'PetStoreError';
  readonly code: PetStoreErrorCode;
  /** The HTTP status; undefined if there was no response. */
  readonly status: number | undefined;
  /** Identifies the request to the operators of the service. */
  readonly requestId: string | undefined;
  /** How long the service asks to wait. */
  readonly retryAfterSeconds: number | undefined;

  constructor(code: PetStoreErrorCode, message: string, details: Details = {}) {
    super(message, details);
    this.code = code;
    this.status = details.status;
    this.requestId = details.requestId;
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}
