import type { components } from './description.ts';

/** The codes of the service, and those for what is no answer of the service. */
export type PetStoreErrorCode =
  | components['schemas']['Error']['code']
  | 'connection_failed'
  | 'timed_out'
  | 'unexpected_answer';

type Details = {
  status?: number | undefined;
  requestId?: string | undefined;
  retryAfterSeconds?: number | undefined;
  cause?: unknown;
};

/** What the service refused, or what came between it and the client. */
export class PetStoreError extends Error {
  override name = 'PetStoreError';
  readonly code: PetStoreErrorCode;
  /** The HTTP status; undefined where no answer came. */
  readonly status: number | undefined;
  /** Names the request to the operators of the service. */
  readonly requestId: string | undefined;
  /** How long the service asks to wait. */
  readonly retryAfterSeconds: number | undefined;

  constructor(code: PetStoreErrorCode, message: string, details: Details = {}) {
    super(message, 'cause' in details ? { cause: details.cause } : {});
    this.code = code;
    this.status = details.status;
    this.requestId = details.requestId;
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}
