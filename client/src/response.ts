import { parseBigintJson } from './bigintJson.ts';
import { findLink } from './findLink.ts';
import { PetStoreError, type ServiceErrorCode, serviceErrorCodes } from './PetStoreError.ts';
import type { DeprecationNotice, OperationName, PetStoreResponse } from './types.ts';

export type ClientResponse = {
  operation: OperationName;
  address: string;
  status: number;
  headers: Headers;
  text: string;
};

/** Reads a success. Throws a `PetStoreError` for an unexpected body. */
export function readSuccess<Value>(
  response: ClientResponse,
  isExpected: (value: unknown) => value is Value,
): PetStoreResponse<Value> {
  const { status, headers } = response;
  const data = tryToParse(response.text);
  if (!isExpected(data)) throw unexpectedResponse(response);
  return { data, status, headers, requestId: requestIdOf(headers) };
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

function detailsOf({ operation, address, status, headers }: ClientResponse) {
  const retryAfterSeconds = readRetryAfter(headers.get('Retry-After') ?? '');
  return { operation, address, status, requestId: requestIdOf(headers), retryAfterSeconds };
}

function requestIdOf(headers: Headers): string | undefined {
  return headers.get('X-Request-Id') ?? undefined;
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
    return parseBigintJson(text);
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

/**
 * Reads the cursor of the next page from the `Link` header.
 *
 * Only the cursor is used, so no response can send the API key to another server. A link to another
 * address is an error, because its cursor belongs to another list.
 */
export function readNextCursor(response: ClientResponse): string | undefined {
  const link = findLink(response.headers.get('Link'), 'next');
  if (link === undefined) return undefined;

  const page = new URL(response.address);
  const next = URL.canParse(link, response.address) ? new URL(link, page) : undefined;
  const cursor = next?.searchParams.get('cursor');
  if (next?.origin !== page.origin || next.pathname !== page.pathname || !cursor) {
    throw new PetStoreError(
      'unexpected_answer',
      'The link to the next page leads to another address, so it was not requested.',
      detailsOf(response),
    );
  }
  if (cursor === page.searchParams.get('cursor')) {
    throw new PetStoreError(
      'unexpected_answer',
      'The link to the next page leads to the same page: the list would never end.',
      detailsOf(response),
    );
  }
  return cursor;
}

/** Reads the announced removal of an operation (RFC 9745 and RFC 8594), if there is one. */
export function readDeprecation({
  operation,
  headers,
}: ClientResponse): DeprecationNotice | undefined {
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
