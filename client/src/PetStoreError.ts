import type { OperationName } from './types.ts';

/** The error codes of the service. */
export const serviceErrorCodes = [
  'bad_request',
  'unauthorized',
  'forbidden',
  'not_found',
  'method_not_allowed',
  'payload_too_large',
  'unsupported_media_type',
  'idempotency_key_reused',
  'too_many_requests',
  'internal_error',
  'service_unavailable',
  'gateway_timeout',
] as const;

export type ServiceErrorCode = (typeof serviceErrorCodes)[number];

/** The codes of the service, and three for failures without a response of the service. */
export type PetStoreErrorCode =
  | ServiceErrorCode
  | 'connection_failed'
  | 'timed_out'
  | 'unexpected_answer';

type Details = {
  operation?: OperationName | undefined;
  address?: string | undefined;
  status?: number | undefined;
  requestId?: string | undefined;
  retryAfterSeconds?: number | undefined;
  cause?: unknown;
};

/** A failure of a call: an error response of the service, or a failure on the way to it. */
export class PetStoreError extends Error {
  override name = 'PetStoreError';
  readonly code: PetStoreErrorCode;
  /** The message without operation and address: for an error of the service, its own text. */
  readonly reason: string;
  readonly operation: OperationName | undefined;
  /** The address that was requested. */
  readonly address: string | undefined;
  /** The HTTP status; undefined if there was no response. */
  readonly status: number | undefined;
  /** Identifies the request to the operators of the service. */
  readonly requestId: string | undefined;
  /** How long the service asks to wait. */
  readonly retryAfterSeconds: number | undefined;

  constructor(code: PetStoreErrorCode, reason: string, details: Details = {}) {
    const { operation, address } = details;
    super(
      operation && address ? `${reason} (${operation}: ${address})` : reason,
      'cause' in details ? { cause: details.cause } : {},
    );
    this.code = code;
    this.reason = reason;
    this.operation = operation;
    this.address = address;
    this.status = details.status;
    this.requestId = details.requestId;
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}
