import { parseExactJson } from './exactJson.ts';
import { findLink } from './links.ts';
import { PetStoreError, type ServiceErrorCode, serviceErrorCodes } from './PetStoreError.ts';
import type { DeprecationNotice, OperationName } from './types.ts';

export type ClientResponse = { status: number; headers: Headers; text: string };

/** Reads the body of a success. Throws a `PetStoreError` for an unexpected body. */
export function readBody<Value>(
  response: ClientResponse,
  isExpected: (value: unknown) => value is Value,
): Value {
  const value = tryToParse(response.text);
  if (!isExpected(value)) throw unexpectedResponse(response);
  return value;
}

/** Reads a response that is not a success. */
export function readError(response: ClientResponse): PetStoreError {
  const body = tryToParse(response.text);
  return isErrorBody(body, response.status)
    ? new PetStoreError(body.code, body.message, detailsOf(response))
    : unexpectedResponse(response);
}

/** For a response of a proxy or another server. The message never contains its text. */
function unexpectedResponse(response: ClientResponse): PetStoreError {
  const mediaType = response.headers.get('Content-Type') ?? 'of no media type';
  return new PetStoreError(
    'unexpected_answer',
    `The response is not from the service: status ${response.status}, ${mediaType}. Check the base address.`,
    detailsOf(response),
  );
}

function detailsOf({ status, headers }: ClientResponse) {
  return {
    status,
    requestId: headers.get('X-Request-Id') ?? undefined,
    retryAfterSeconds: readRetryAfter(headers.get('Retry-After') ?? ''),
  };
}

/** Reads seconds or a date; gateways and proxies may send a date. */
function readRetryAfter(retryAfter: string): number | undefined {
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter);
  // `Date.parse` accepts almost any text, so the form is checked first.
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

type ErrorBody = { code: ServiceErrorCode; message: string };

function isErrorBody(value: unknown, httpStatus: number): value is ErrorBody {
  const { code, message, status } = (value ?? {}) as Record<string, unknown>;
  const isKnown = serviceErrorCodes.some((each) => each === code);
  return isKnown && typeof message === 'string' && status === BigInt(httpStatus);
}

/** Reads the announced removal of an operation (RFC 9745 and RFC 8594), if there is one. */
export function deprecationNotice(
  operation: OperationName,
  headers: Headers,
): DeprecationNotice | undefined {
  const sinceEpochSeconds = /^@(-?\d+)$/.exec(headers.get('Deprecation') ?? '')?.[1];
  const sunsetEpochMs = Date.parse(headers.get('Sunset') ?? '');
  if (sinceEpochSeconds === undefined && Number.isNaN(sunsetEpochMs)) return undefined;

  const successor = findLink(headers.get('Link'), 'successor-version');
  return {
    operation,
    ...(sinceEpochSeconds !== undefined && {
      deprecation: new Date(Number(sinceEpochSeconds) * 1000),
    }),
    ...(!Number.isNaN(sunsetEpochMs) && { sunset: new Date(sunsetEpochMs) }),
    ...(successor !== undefined && { successor }),
  };
}
