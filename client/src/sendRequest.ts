import { type DeprecationNotice, deprecationNotice } from './deprecationNotice.ts';
import type { operations } from './description.ts';
import { PetStoreError } from './PetStoreError.ts';
import { type ClientAnswer, readError } from './readAnswer.ts';
import type { Settings } from './settings.ts';

export type ClientRequest = {
  operation: keyof operations;
  method: 'GET' | 'POST';
  address: string;
  headers?: Record<string, string>;
  body?: string;
  signal: AbortSignal | undefined;
};

/** Sends a request once; throws a `PetStoreError` for every answer but a success, and for none. */
export async function sendRequest(
  request: ClientRequest,
  settings: Settings,
): Promise<ClientAnswer> {
  const answer = await exchange(request, settings);
  const notice = deprecationNotice(request.operation, answer.headers);
  if (notice) announce(notice, settings);
  if (answer.status < 200 || answer.status > 299) throw readError(answer);
  return answer;
}

/** As with an event's listener: what it throws is uncaught, and fails nothing that succeeded. */
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
): Promise<ClientAnswer> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(address, {
      method,
      headers: { ...headers, Accept: 'application/json', Authorization: `Bearer ${apiKey}` },
      ...(body !== undefined && { body }),
      // The service redirects nowhere, and the key must not go where somebody else points.
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  } catch (cause) {
    signal?.throwIfAborted();
    if (timeout.aborted) {
      throw new PetStoreError('timed_out', `No answer came within ${timeoutMs} ms.`, { cause });
    }
    throw new PetStoreError('connection_failed', 'The service could not be reached.', { cause });
  }
}
