import type { ServerResponse } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import { timeouts } from '../../lib/config.ts';
import {
  connect,
  rejection,
  respond,
  shortenWaits,
  startScriptedServer,
} from '../helpers/petStoreClient.ts';

const silence = () => {};

describe('an attempt', () => {
  it('waits by default longer than the service may take, so that its own error comes first', async () => {
    const timeout = vi.spyOn(AbortSignal, 'timeout');
    const fetch = async () => Response.json([]);

    await connect({ fetch }).listPets();

    expect(timeout).toHaveBeenCalledOnce();
    expect(timeout.mock.calls[0]?.[0]).toBeGreaterThan(timeouts.integrationSeconds * 1000);
  });

  it('rejects with timed_out after the last attempt that exceeds its own time limit, also with a signal', async () => {
    shortenWaits();
    const server = await startScriptedServer(silence, silence);
    const fetch = vi.fn(globalThis.fetch);
    const { signal } = new AbortController();
    const limits = { signal, timeoutMs: 50, maxAttempts: 2 };

    const error = await rejection(connect({ ...server, fetch }).listPets({}, limits));

    expect(error).toMatchObject({
      code: 'timed_out',
      message: `No response in 50 ms: GET ${server.baseAddress}/pets`,
    });
    expect(fetch).toHaveBeenCalledTimes(2);
  });
});

describe('a response whose body stalls', () => {
  const stalled = (status: number) => (response: ServerResponse) => {
    response.writeHead(status, { 'Retry-After': '61', 'X-Request-Id': 'stalled' }).write('{');
  };

  /** A `fetch` after whose first headers the time of the attempt is up. */
  function timeOutAfterHeaders(): typeof fetch {
    const timeout = new AbortController();
    vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(timeout.signal);
    return async (...request) => {
      const response = await fetch(...request);
      timeout.abort();
      return response;
    };
  }

  it.each([429, 503])(
    'is called incomplete, and keeps the status, request id and Retry-After of a %d',
    async (status) => {
      const server = await startScriptedServer(stalled(status));

      // Retry-After is longer than a minute, so no second attempt is made.
      const error = await rejection(
        connect({ ...server, fetch: timeOutAfterHeaders() }).listPets(),
      );

      const kept = { status, requestId: 'stalled', retryAfterSeconds: 61 };
      const message = `No complete response in 15000 ms: GET ${server.baseAddress}/pets`;
      expect(error).toMatchObject({ code: 'timed_out', message, ...kept });
      expect(server.requests).toHaveLength(1);
    },
  );

  it('is retried if it is a success', async () => {
    shortenWaits();
    const server = await startScriptedServer(stalled(200), respond(200, []));

    const client = connect({ ...server, fetch: timeOutAfterHeaders() });

    expect(await client.listPets()).toEqual({ pets: [] });
  });
});
