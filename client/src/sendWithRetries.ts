import { PetStoreError } from './PetStoreError.ts';
import type { ClientAnswer } from './readAnswer.ts';
import { type ClientRequest, sendRequest } from './sendRequest.ts';
import type { Settings } from './settings.ts';
import { wait } from './wait.ts';

/** Too many requests, and what gateways say of a service that is away for a moment. */
const passingStatuses = new Set([429, 502, 503, 504]);

const firstDelayMs = 200;
const maxDelayMs = 10_000;

/** Who must wait longer is told so, instead of being kept waiting. */
const maxRetryAfterSeconds = 60;

/**
 * Sends a request until it succeeds, fails for good, or has had all of its attempts.
 *
 * Every operation may be repeated: `listPets` and `getPet` change nothing, and `createPet` carries
 * an Idempotency-Key. A 500 is a fault, which a repetition would only meet again.
 */
export async function sendWithRetries(
  request: ClientRequest,
  settings: Settings,
): Promise<ClientAnswer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await sendRequest(request, settings);
    } catch (error) {
      if (attempt >= settings.maxAttempts || !isPassing(error)) throw error;
      await wait(delayMs(attempt, error), request.signal);
    }
  }
}

function isPassing(error: unknown): error is PetStoreError {
  if (!(error instanceof PetStoreError)) return false;
  const { code, status, retryAfterSeconds = 0 } = error;
  if (retryAfterSeconds > maxRetryAfterSeconds) return false;
  return status === undefined
    ? code === 'connection_failed' || code === 'timed_out'
    : passingStatuses.has(status);
}

/** What the service asks for, then exponential back-off with full jitter, which parts the clients. */
function delayMs(attempt: number, { retryAfterSeconds = 0 }: PetStoreError): number {
  const ceilingMs = Math.min(firstDelayMs * 2 ** (attempt - 1), maxDelayMs);
  return retryAfterSeconds * 1000 + Math.random() * ceilingMs;
}
