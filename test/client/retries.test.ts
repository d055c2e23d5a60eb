import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import {
  connect,
  receivedRex,
  rejection,
  respond,
  shortenWaits,
  startScriptedServer,
} from '../helpers/petStoreClient.ts';
import { minimalPet } from '../helpers/samplePets.ts';

const failure = (status: number, code: string, headers: Record<string, string> = {}) =>
  Response.json({ code, message: 'Later.', status }, { status, headers });

/** A `fetch` that returns these responses in turn, and records when it was called. */
function scriptedFetch(...responses: Response[]) {
  const calledAtMs: number[] = [];
  const fetch = vi.fn<typeof globalThis.fetch>(async () => {
    calledAtMs.push(Date.now());
    return responses.shift() ?? Response.error();
  });
  const delaysMs = () => calledAtMs.slice(1).map((ms, index) => ms - (calledAtMs[index] ?? 0));
  return { fetch, delaysMs };
}

/** Stops the clock, and lets it jump to the end of each wait. */
function skipWaits(): void {
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  vi.setTimerTickMode('nextTimerAsync');
}

describe('a call', () => {
  it('waits for Retry-After, then sends the same body with the same Idempotency-Key', async () => {
    skipWaits();
    const { fetch, delaysMs } = scriptedFetch(
      failure(503, 'service_unavailable', { 'Retry-After': '2' }),
      Response.json(receivedRex, { status: 201 }),
    );

    expect(await connect({ fetch }).createPet(minimalPet)).toMatchObject({ id: 1n });

    expect(delaysMs()).toEqual([2000 + 100]);
    const [first, second] = fetch.mock.calls.map(([, init]) => init);
    expect(first?.headers).toHaveProperty('Idempotency-Key');
    expect(second?.headers).toEqual(first?.headers);
    expect(second?.body).toBe(first?.body);
  });

  it('waits twice as long each time, up to 10 s, for as many attempts as it has', async () => {
    skipWaits();
    const failures = Array.from({ length: 9 }, () => failure(429, 'too_many_requests'));
    const { fetch, delaysMs } = scriptedFetch(...failures);

    const error = await rejection(connect({ fetch, maxAttempts: 9 }).listPets());

    expect(error).toMatchObject({ code: 'too_many_requests', status: 429, message: 'Later.' });
    expect(delaysMs()).toEqual([100, 200, 400, 800, 1600, 3200, 5000, 5000]);
  });

  it.each([
    ['502 of a proxy', new Response('<h1>Bad gateway</h1>', { status: 502 })],
    ['504', failure(504, 'gateway_timeout')],
    [
      '503 with a date in Retry-After',
      failure(503, 'service_unavailable', { 'Retry-After': 'Fri, 20 Nov 2026 12:00:00 GMT' }),
    ],
  ])('is retried after a %s', async (_, response) => {
    skipWaits();
    const { fetch, delaysMs } = scriptedFetch(response, Response.json([]));

    expect(await connect({ fetch }).listPets()).toEqual({ pets: [] });
    expect(delaysMs()).toEqual([100]);
  });

  it('is retried after a broken connection, and after an incomplete response', async () => {
    shortenWaits();
    const server = await startScriptedServer(
      (response) => response.destroy(),
      (response) => {
        response.writeHead(201, { 'Content-Length': 100 });
        response.write('{"id":', () => response.destroy());
      },
      respond(201, receivedRex),
    );

    expect(await connect(server).createPet(minimalPet)).toMatchObject({ id: 1n });
  });

  it.each([
    [422, 'idempotency_key_reused'],
    [500, 'internal_error'],
  ])('is not retried after a %d', async (status, code) => {
    const { fetch } = scriptedFetch(failure(status, code));

    await expect(connect({ fetch }).createPet(minimalPet)).rejects.toMatchObject({ code, status });
    expect(fetch).toHaveBeenCalledOnce();
  });

  it('rejects at once if Retry-After is longer than a minute', async () => {
    const { fetch } = scriptedFetch(failure(429, 'too_many_requests', { 'Retry-After': '61' }));

    await expect(connect({ fetch }).listPets()).rejects.toMatchObject({ retryAfterSeconds: 61 });
    expect(fetch).toHaveBeenCalledOnce();
  });

  it('rejects with connection_failed, the reason and the address if nothing listens', async () => {
    const error = await rejection(connect({ maxAttempts: 1 }).listPets());

    expect(error).toMatchObject({
      code: 'connection_failed',
      message: 'No complete response (ECONNREFUSED): GET http://127.0.0.1:2/v1/pets',
      status: undefined,
      cause: expect.any(Error),
    });
  });

  it.each([
    // Recorded with Bun 1.4.5 and Deno 2.9.6.
    ['Bun', Object.assign(new TypeError(), { code: 'ECONNREFUSED' }), ' (ECONNREFUSED)'],
    [
      'Deno',
      new TypeError('fetch failed', {
        cause: new Error(
          'error sending request for url (http://127.0.0.1:1/v1/pets): client error (Connect): tcp connect error: Connection refused (os error 111)',
        ),
      }),
      ' (tcp connect error: Connection refused (os error 111))',
    ],
    ['a browser', new TypeError('Failed to fetch'), ''],
  ])('names the reason that %s gives, if it gives one', async (_, failure, reason) => {
    const fetch = vi.fn<typeof globalThis.fetch>().mockRejectedValue(failure);

    const error = await rejection(connect({ fetch, maxAttempts: 1 }).listPets());

    expect(error.message).toBe(`No complete response${reason}: GET http://127.0.0.1:2/v1/pets`);
  });

  it('leaves no listener on a signal that outlives it', async () => {
    skipWaits();
    const { signal } = new AbortController();
    const { fetch } = scriptedFetch(failure(503, 'service_unavailable'), Response.json([]));

    await connect({ fetch }).listPets({}, { signal });

    expect(fetch).toHaveBeenCalledTimes(2);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('an aborted call', () => {
  // In the last attempt, no retry would notice the signal.
  it.each([2, 1])(
    'ends while it waits for the response with %d attempts left',
    async (maxAttempts) => {
      const controller = new AbortController();
      const reason = new Error('The user left.');
      const server = await startScriptedServer(() => controller.abort(reason));

      const { signal } = controller;
      // The test ends before this time limit, so only the signal can end the call.
      const error = await rejection(
        connect(server).createPet(minimalPet, { signal, timeoutMs: 60_000, maxAttempts }),
      );

      expect(error).toBe(reason);
      expect(server.requests).toHaveLength(1);
    },
  );

  it('ends while it waits for the next attempt, with the reason of the signal', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const controller = new AbortController();
    const reason = new Error('The user left.');
    const { fetch } = scriptedFetch(failure(503, 'service_unavailable', { 'Retry-After': '60' }));

    const failed = rejection(connect({ fetch }).listPets({}, controller));
    await expect.poll(() => vi.getTimerCount()).toBe(1);
    controller.abort(reason);

    expect(await failed).toBe(reason);
    expect(vi.getTimerCount()).toBe(0);
    expect(fetch).toHaveBeenCalledOnce();
  });

  it('is not sent if the signal is already aborted', async () => {
    const { fetch } = scriptedFetch();

    const error = await rejection(connect({ fetch }).listPets({}, { signal: AbortSignal.abort() }));

    expect(error.name).toBe('AbortError');
    expect(fetch).not.toHaveBeenCalled();
  });
});
