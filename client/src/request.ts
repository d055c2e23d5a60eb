import { PetStoreError } from './PetStoreError.ts';
import { type ClientResponse, deprecationNotice, readError } from './response.ts';
import type { Settings } from './settings.ts';
import type { DeprecationNotice, OperationName } from './types.ts';
import { wait } from './wait.ts';

export type ClientRequest = {
  operation: OperationName;
  method: 'GET' | 'POST';
  address: string;
  headers?: Record<string, string>;
  body?: string;
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
 * Every operation can be retried: `listPets` and `getPet` change nothing, and `createPet` sends an
 * Idempotency-Key. A 500 is a fault, which a retry would only meet again.
 */
export async function sendWithRetries(
  request: ClientRequest,
  settings: Settings,
): Promise<ClientResponse> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await sendOnce(request, settings);
    } catch (error) {
      if (attempt >= settings.maxAttempts || !isTemporary(error)) throw error;
      await wait(delayMs(attempt, error), request.signal);
    }
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
function delayMs(attempt: number, { retryAfterSeconds = 0 }: PetStoreError): number {
  const ceilingMs = Math.min(firstDelayMs * 2 ** (attempt - 1), maxDelayMs);
  return retryAfterSeconds * 1000 + Math.random() * ceilingMs;
}

/** Sends a request once. Throws a `PetStoreError` unless the response is a success. */
async function sendOnce(request: ClientRequest, settings: Settings): Promise<ClientResponse> {
  const response = await exchange(request, settings);
  const notice = deprecationNotice(request.operation, response.headers);
  if (notice) announce(notice, settings);
  if (response.status < 200 || response.status > 299) throw readError(response);
  return response;
}

/** An error of the listener is uncaught, as with an event, and does not fail the call. */
function announce(notice: DeprecationNotice, { onDeprecation }: Settings): void {
  try {
    onDeprecation?.(notice);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

async function exchange(
  { method, address, headers, body, signal }: ClientRequest,
  { fetch, apiKey, timeoutMs }: Settings,
): Promise<ClientResponse> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(address, {
      method,
      headers: { ...headers, Accept: 'application/json', Authorization: `Bearer ${apiKey}` },
      ...(body !== undefined && { body }),
      // The service never redirects. A redirect must not send the key to another server.
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  } catch (cause) {
    signal?.throwIfAborted();
    if (timeout.aborted) {
      throw new PetStoreError('timed_out', `No response within ${timeoutMs} ms.`, { cause });
    }
    throw new PetStoreError('connection_failed', 'The service could not be reached.', { cause });
  }
}
