import { PetStoreError } from './PetStoreError.ts';
import { type ClientResponse, readDeprecation, readError } from './response.ts';
import { readLimits, type Settings } from './settings.ts';
import type { CallOptions, OperationName } from './types.ts';
import { wait } from './wait.ts';

export type ClientRequest = {
  operation: OperationName;
  method: 'GET' | 'POST';
  address: string;
  headers?: Record<string, string>;
  body?: string;
  options: CallOptions;
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
 * Every operation can be retried: `listPets` and `getPet` change nothing, and `createPet` sends an
 * Idempotency-Key. A 500 is a fault that a retry does not remove.
 */
export async function sendWithRetries(
  request: ClientRequest,
  settings: Settings,
): Promise<ClientResponse> {
  const { operation, method, address, options } = request;
  const { timeoutMs, maxAttempts } = readLimits(options, settings);
  for (let attempt = 1; ; attempt += 1) {
    try {
      options.signal?.throwIfAborted();
      notify(settings.onRequest, { operation, method, address, attempt });
      return await sendOnce(request, settings, timeoutMs);
    } catch (error) {
      if (attempt >= maxAttempts || !isTemporary(error)) throw error;
      const delayMs = nextDelayMs(attempt, error);
      notify(settings.onRetry, { operation, attempt, delayMs, error });
      await wait(delayMs, options.signal);
    }
  }
}

/** An error of a hook is uncaught, as with an event, and does not fail the call. */
function notify<Notice>(hook: ((notice: Notice) => void) | undefined, notice: Notice): void {
  try {
    hook?.(notice);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

function isTemporary(error: unknown): error is PetStoreError {
  if (!(error instanceof PetStoreError)) return false;
  const { code, status, retryAfterSeconds = 0 } = error;
  if (retryAfterSeconds > maxRetryAfterSeconds) return false;
  return status === undefined
    ? code === 'connection_failed' || code === 'timed_out'
    : temporaryStatuses.has(status);
}

/** `Retry-After`, plus exponential back-off with full jitter, which spreads the clients. */
function nextDelayMs(attempt: number, { retryAfterSeconds = 0 }: PetStoreError): number {
  const ceilingMs = Math.min(firstDelayMs * 2 ** (attempt - 1), maxDelayMs);
  return retryAfterSeconds * 1000 + Math.random() * ceilingMs;
}

/** Sends a request once. Throws a `PetStoreError` unless the response is a success. */
async function sendOnce(
  request: ClientRequest,
  settings: Settings,
  timeoutMs: number,
): Promise<ClientResponse> {
  const response = await exchange(request, settings, timeoutMs);
  const notice = readDeprecation(response);
  if (notice) notify(settings.onDeprecation, notice);
  if (response.status < 200 || response.status > 299) throw readError(response);
  return response;
}

async function exchange(
  { operation, method, address, headers, body, options: { signal } }: ClientRequest,
  { fetch, headers: commonHeaders }: Settings,
  timeoutMs: number,
): Promise<ClientResponse> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(address, {
      method,
      headers: { ...commonHeaders, ...headers },
      ...(body !== undefined && { body }),
      // The service never redirects. A redirect must not send the key to another server.
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    const text = await response.text();
    return { operation, address, status: response.status, headers: response.headers, text };
  } catch (cause) {
    signal?.throwIfAborted();
    const details = { operation, address, cause };
    if (timeout.aborted) {
      throw new PetStoreError('timed_out', `No response within ${timeoutMs} ms.`, details);
    }
    throw new PetStoreError('connection_failed', 'The service could not be reached.', details);
  }
}
