import { parseBigintJson } from './bigintJson.ts';
import { PetStoreError } from './PetStoreError.ts';
import type { PetStoreResponse } from './types.ts';

export type PetStoreRequest = {
  method: string;
  address: string;
  headers: Record<string, string>;
  body?: string;
  successStatus: number;
  isExpected(data: unknown): boolean;
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

/** After decompression. The largest page of the service takes a tenth of this. */
const maxResponseBytes = 2_000_000;

/** A response of more than `maxResponseBytes`. A retry would get the same response. */
class TooLargeError extends PetStoreError {}

/**
 * Sends a request until it succeeds, fails permanently, or has had all of its attempts.
 *
 * Every operation can be retried: it reads, sends an Idempotency-Key, or has the same effect twice as once. A 500
 * is not retried, because a retry would not remove the fault.
 */
export async function sendRequest(request: PetStoreRequest): Promise<PetStoreResponse<unknown>> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      request.signal?.throwIfAborted();
      return await sendOnce(request);
    } catch (error) {
      if (attempt >= request.maxAttempts || !isTemporary(error)) throw error;
      // Exponential back-off with full jitter, so that clients do not retry all at once.
      const ceilingMs = Math.min(firstDelayMs * 2 ** (attempt - 1), maxDelayMs);
      const askedMs = (error.retryAfterSeconds ?? 0) * 1000;
      await wait(askedMs + Math.random() * ceilingMs, request.signal);
    }
  }
}

function isTemporary(error: unknown): error is PetStoreError {
  if (!(error instanceof PetStoreError) || error instanceof TooLargeError) return false;
  const { status, retryAfterSeconds = 0 } = error;
  // Without a status, the connection failed or timed out before a complete success.
  if (status === undefined) return true;
  return temporaryStatuses.has(status) && retryAfterSeconds <= maxRetryAfterSeconds;
}

/** Waits, or rejects with the signal's reason as soon as the signal aborts. */
async function wait(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, delayMs);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** Sends a request once. Throws a `PetStoreError` unless the response is the expected success. */
async function sendOnce(request: PetStoreRequest): Promise<PetStoreResponse<unknown>> {
  const { response, text } = await exchange(request);
  const { status, headers } = response;
  const details = detailsOf(response);
  const sent = `${request.method} ${request.address}`;
  if (text === undefined) {
    const message = `The response has more than ${maxResponseBytes} bytes: status ${status}: ${sent}`;
    throw new TooLargeError('unexpected_response', message, details);
  }
  const data = tryToParse(text);
  if (status === request.successStatus && request.isExpected(data)) {
    return { data, status, headers, requestId: details.requestId };
  }
  if (isErrorBody(data, status)) throw new PetStoreError(data.code, data.message, details);
  const mediaType = headers.get('Content-Type') ?? 'of no media type';
  throw new PetStoreError(
    'unexpected_response',
    // The body is left out, because another server may have sent it.
    `The response is not from the service: status ${status}, ${mediaType}: ${sent}`,
    details,
  );
}

async function exchange(request: PetStoreRequest) {
  const { method, address, headers, body, fetch, timeoutMs, signal } = request;
  const sent = `${method} ${address}`;
  const timeout = AbortSignal.timeout(timeoutMs);
  let response: Response | undefined;
  try {
    response = await fetch(address, {
      method,
      headers,
      ...(body !== undefined && { body }),
      // The service never redirects. A redirect must not send the key to another server.
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    return { response, text: await readText(response) };
  } catch (cause) {
    signal?.throwIfAborted();
    // Without a status, an incomplete success is retried. The headers of an error say when.
    const details = { ...(response && !response.ok && detailsOf(response)), cause };
    if (timeout.aborted) {
      const missing = response ? 'complete response' : 'response';
      throw new PetStoreError('timed_out', `No ${missing} in ${timeoutMs} ms: ${sent}`, details);
    }
    const message = `No complete response${reasonOf(cause)}: ${sent}`;
    throw new PetStoreError('connection_failed', message, details);
  }
}

/** Reads a body to its end, or returns `undefined` as soon as it has more than `maxResponseBytes`. */
async function readText({ body }: Response): Promise<string | undefined> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { value } = (await reader?.read()) ?? {};
    if (!value) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > maxResponseBytes) {
      // The connection closes in the background.
      reader?.cancel().catch(() => {});
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}

/**
 * Returns why a connection failed: ` (ECONNREFUSED)` for a wrong port, ` (ENOTFOUND)` for a wrong host.
 *
 * Bun has the code in the error, and Node.js in the error's cause. Deno has a text that ends in the reason.
 * Browsers give no reason.
 */
function reasonOf(error: unknown): string {
  type Reason = { code?: unknown; message?: string };
  const { code, cause } = (error ?? {}) as Reason & { cause?: Reason };
  const [, text] = /client error \(\w+\): (.+)/.exec(cause?.message ?? '') ?? [];
  const reason = [code, cause?.code, text].find((each) => typeof each === 'string');
  return reason === undefined ? '' : ` (${reason})`;
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
