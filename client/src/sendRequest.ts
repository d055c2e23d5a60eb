import { parseBigintJson } from './bigintJson.ts';
import { PetStoreError } from './PetStoreError.ts';
import type { PetStoreResponse } from './types.ts';

/** What a call sends, its limits, and what its success must be. */
export type PetStoreRequest<Value> = {
  method: string;
  address: string;
  headers: Record<string, string>;
  body?: string;
  successStatus: number;
  isExpected: (data: unknown) => data is Value;
  fetch: typeof globalThis.fetch;
  timeoutMs: number;
  maxAttempts: number;
  signal: AbortSignal | undefined;
};

/** Statuses of a temporary failure: too many requests, or a gateway without a working service. */
const temporaryStatuses = new Set([429, 502, 503, 504]);

const firstDelayMs = 200;
const maxDelayMs = 10_000;

/** A longer `Retry-After` rejects the call at once. */
const maxRetryAfterSeconds = 60;

/**
 * Sends a request until it succeeds, fails permanently, or has had all of its attempts.
 *
 * A retry is safe for an operation that reads or sends an Idempotency-Key, as all do. The retry of a change may
 * overwrite somebody else's newer change. A 500 is not retried, because a retry would not remove the fault.
 */
export async function sendRequest<Value>(
  request: PetStoreRequest<Value>,
): Promise<PetStoreResponse<Value>> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      request.signal?.throwIfAborted();
      return await sendOnce(request);
    } catch (error) {
      const hasAttempts = attempt < request.maxAttempts;
      if (!hasAttempts || !isTemporary(error)) throw error;
      // Exponential back-off with full jitter, so that clients do not retry all at once.
      const ceilingMs = Math.min(firstDelayMs * 2 ** (attempt - 1), maxDelayMs);
      const askedMs = (error.retryAfterSeconds ?? 0) * 1000;
      await wait(askedMs + Math.random() * ceilingMs, request.signal);
    }
  }
}

function isTemporary(error: unknown): error is PetStoreError {
  if (!(error instanceof PetStoreError)) return false;
  const { status, retryAfterSeconds = 0 } = error;
  // Without a status, the connection failed or timed out before a complete success.
  if (status === undefined) return true;
  return temporaryStatuses.has(status) && retryAfterSeconds <= maxRetryAfterSeconds;
}

async function wait(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const delay = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, delayMs);
  });
  try {
    await untilAborted(delay, signal);
  } finally {
    clearTimeout(timer);
  }
}

/** Settles as the result does, or rejects with the signal's reason as soon as the signal aborts. */
function untilAborted<Value>(
  result: Value | PromiseLike<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal?.reason);
    if (signal?.aborted) stop();
    signal?.addEventListener('abort', stop, { once: true });
    Promise.resolve(result)
      .then(resolve, reject)
      .finally(() => signal?.removeEventListener('abort', stop));
  });
}

/** Sends a request once. Throws a `PetStoreError` unless the response is the expected success. */
async function sendOnce<Value>(request: PetStoreRequest<Value>): Promise<PetStoreResponse<Value>> {
  const { response, text } = await exchange(request);
  const { status, headers } = response;
  const details = detailsOf(response);
  const data = tryToParse(text);
  if (status === request.successStatus && request.isExpected(data)) {
    const isReplayed = headers.get('Idempotent-Replayed') === 'true';
    return { data, status, headers, requestId: details.requestId, isReplayed };
  }
  if (isErrorBody(data, status)) throw new PetStoreError(data.code, data.message, details);
  const mediaType = headers.get('Content-Type') ?? 'of no media type';
  throw new PetStoreError(
    'unexpected_response',
    // The body is left out, because another server may have sent it.
    `The response is not from the service: status ${status}, ${mediaType}: ${request.method} ${request.address}`,
    details,
  );
}

async function exchange(request: PetStoreRequest<unknown>) {
  const { method, address, headers, body, fetch, timeoutMs, signal } = request;
  const sent = `${method} ${address}`;
  const timeout = AbortSignal.timeout(timeoutMs);
  const limit = signal ? AbortSignal.any([signal, timeout]) : timeout;
  let response: Response | undefined;
  try {
    const fetching = fetch(address, {
      method,
      headers,
      ...(body !== undefined && { body }),
      // The service never redirects. A redirect must not send the key to another server.
      redirect: 'manual',
      signal: limit,
    });
    // The `fetch` of a user may ignore the signal, or its `text()` may.
    response = await untilAborted(fetching, limit);
    return { response, text: await untilAborted(response.text(), limit) };
  } catch (cause) {
    signal?.throwIfAborted();
    // Without a status, an incomplete success is retried. The headers of an error say when.
    const details = { ...(response && !response.ok && detailsOf(response)), cause };
    const [code, text] = timeout.aborted
      ? ['timed_out', ` in ${timeoutMs} ms`]
      : ['connection_failed', ''];
    throw new PetStoreError(code, `No complete response${text}: ${sent}`, details);
  }
}

function tryToParse(text: string): unknown {
  try {
    return parseBigintJson(text);
  } catch {
    return undefined;
  }
}

type ErrorBody = { code: string; message: string };

function isErrorBody(data: unknown, httpStatus: number): data is ErrorBody {
  const { code, message, status } = (data ?? {}) as Record<string, unknown>;
  return typeof code === 'string' && typeof message === 'string' && Number(status) === httpStatus;
}

function detailsOf({ status, headers }: Response) {
  const requestId = headers.get('X-Request-Id') ?? undefined;
  return { status, requestId, retryAfterSeconds: readRetryAfter(headers) };
}

/** Reads seconds, as the service sends them. Ignores a date, which a proxy may send. */
function readRetryAfter(headers: Headers): number | undefined {
  const retryAfter = headers.get('Retry-After') ?? '';
  return /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined;
}
