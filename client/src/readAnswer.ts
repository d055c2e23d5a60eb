import type { components } from './description.ts';
import { parseExactJson } from './exactJson.ts';
import { PetStoreError } from './PetStoreError.ts';

export type ClientAnswer = { status: number; headers: Headers; text: string };

/** Reads the body of a success; throws a `PetStoreError` where it is not what was asked for. */
export function readAnswer<Value>(
  answer: ClientAnswer,
  isExpected: (value: unknown) => value is Value,
): Value {
  const value = tryToParse(answer.text);
  if (!isExpected(value)) throw unexpectedAnswer(answer);
  return value;
}

/** Reads an answer that is no success as the error that it is. */
export function readError(answer: ClientAnswer): PetStoreError {
  const body = tryToParse(answer.text);
  return isErrorBody(body, answer.status)
    ? new PetStoreError(body.code, body.message, detailsOf(answer))
    : unexpectedAnswer(answer);
}

/** The error for what a proxy said, or another server. Its text is not repeated: it may be anything. */
function unexpectedAnswer(answer: ClientAnswer): PetStoreError {
  const mediaType = answer.headers.get('Content-Type') ?? 'of no media type';
  return new PetStoreError(
    'unexpected_answer',
    `The answer is not one of the service: status ${answer.status}, ${mediaType}. Is the base address right?`,
    detailsOf(answer),
  );
}

function detailsOf({ status, headers }: ClientAnswer) {
  return {
    status,
    requestId: headers.get('X-Request-Id') ?? undefined,
    retryAfterSeconds: readRetryAfter(headers.get('Retry-After') ?? ''),
  };
}

/** Reads seconds, or a date: gateways and proxies may send one. */
function readRetryAfter(retryAfter: string): number | undefined {
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter);
  // Without the look of a date, `Date.parse` makes one of almost anything.
  const epochMs = /^[A-Z][a-z]+, .+ GMT$/.test(retryAfter) ? Date.parse(retryAfter) : Number.NaN;
  if (Number.isNaN(epochMs)) return undefined;
  return Math.max(0, Math.ceil((epochMs - Date.now()) / 1000));
}

function tryToParse(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}

type ErrorCode = components['schemas']['Error']['code'];

/** The codes of the service; a change of the description makes this a compile error. */
const errorCodes = {
  bad_request: true,
  unauthorized: true,
  forbidden: true,
  not_found: true,
  method_not_allowed: true,
  payload_too_large: true,
  unsupported_media_type: true,
  idempotency_key_reused: true,
  too_many_requests: true,
  internal_error: true,
  service_unavailable: true,
  gateway_timeout: true,
} as const satisfies Record<ErrorCode, true>;

type ErrorBody = { code: ErrorCode; message: string };

function isErrorBody(value: unknown, httpStatus: number): value is ErrorBody {
  const { code, message, status } = (value ?? {}) as Record<string, unknown>;
  const isKnown = typeof code === 'string' && Object.hasOwn(errorCodes, code);
  return isKnown && typeof message === 'string' && status === BigInt(httpStatus);
}
