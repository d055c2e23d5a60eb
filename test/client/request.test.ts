import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { RequestNotice, RetryNotice } from '../../client/src/settings.ts';
import { wait } from '../../client/src/wait.ts';
import { connect, rex } from '../helpers/petStoreClient.ts';
import { respond, startScriptedServer } from '../helpers/scriptedServer.ts';

// The clock between attempts. Each test that waits sets its behaviour.
vi.mock(import('../../client/src/wait.ts'), { spy: true });

const newPet = { name: 'Rex', categoryId: 7 };

const failure = (status: number, code: string, retryAfter?: number | string) =>
  respond(
    status,
    { code, message: 'Later.', status },
    { ...(retryAfter !== undefined && { 'Retry-After': String(retryAfter) }) },
  );

const unavailable = failure(503, 'service_unavailable', 2);

/** Ends every wait at once, and returns the delays in milliseconds. */
function skipWaits(): number[] {
  const delaysMs: number[] = [];
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  vi.mocked(wait).mockImplementation(async (delayMs) => {
    delaysMs.push(delayMs);
  });
  return delaysMs;
}

function stopClock(now: string): void {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(now) });
  onTestFinished(() => {
    vi.useRealTimers();
  });
}

/** Shortens each time limit. Returns the limits that were asked for. */
function shortenTimeouts() {
  const { timeout } = AbortSignal;
  return vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout(20)).mock.calls;
}

describe('a request', () => {
  it('waits for Retry-After, then sends the same body with the same Idempotency-Key', async () => {
    const delaysMs = skipWaits();
    const server = await startScriptedServer(unavailable, respond(201, rex));

    const created = await connect(server).createPet(newPet);

    expect(created.id).toBe(1n);
    expect(delaysMs).toEqual([2000 + 100]);
    const [first, second] = server.requests;
    expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
    expect(second?.body).toBe(first?.body);
  });

  it.each([
    ['Fri, 20 Nov 2026 12:00:02 GMT', 2000],
    ['Friday, 20-Nov-26 12:00:02 GMT', 2000],
    ['Fri, 20 Nov 2026 12:01:00 GMT', 60_000],
    ['Fri, 20 Nov 2026 11:00:00 GMT', 0],
    ['Fri, 99 Nov 2026 12:00:02 GMT', 0],
    ['soon', 0],
  ])('waits until the date of Retry-After: %s', async (retryAfter, askedMs) => {
    stopClock('2026-11-20T12:00:00Z');
    const delaysMs = skipWaits();
    const server = await startScriptedServer(
      failure(503, 'service_unavailable', retryAfter),
      respond(200, []),
    );

    await connect(server).listPets();

    expect(delaysMs).toEqual([askedMs + 100]);
  });

  it('backs off exponentially, with full jitter, up to ten seconds', async () => {
    const delaysMs = skipWaits();
    const server = await startScriptedServer(
      ...Array.from({ length: 9 }, () => failure(504, 'gateway_timeout')),
    );

    await connect({ ...server, maxAttempts: 9 })
      .listPets()
      .catch(() => {});

    expect(delaysMs).toEqual([100, 200, 400, 800, 1600, 3200, 5000, 5000]);
  });

  it.each([
    [429, 'too_many_requests'],
    [503, 'service_unavailable'],
    [504, 'gateway_timeout'],
  ])('rejects with the last error after three responses of %d', async (status, code) => {
    skipWaits();
    const server = await startScriptedServer(
      failure(status, code),
      failure(status, code),
      failure(status, code, 7),
    );

    await expect(connect(server).listPets()).rejects.toMatchObject({
      code,
      status,
      reason: 'Later.',
      retryAfterSeconds: 7,
    });
    expect(server.requests).toHaveLength(3);
  });

  it('is retried after a 502 of a proxy, whose body is not JSON', async () => {
    skipWaits();
    const server = await startScriptedServer(
      respond(502, '<h1>Bad gateway</h1>'),
      respond(200, []),
    );

    expect(await connect(server).listPets()).toEqual({ pets: [] });
  });

  it.each([
    [400, 'bad_request'],
    [401, 'unauthorized'],
    [422, 'idempotency_key_reused'],
    [500, 'internal_error'],
  ])('is not retried after a %d', async (status, code) => {
    const server = await startScriptedServer(failure(status, code));

    await expect(connect(server).createPet(newPet)).rejects.toMatchObject({ code, status });
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ['longer than a minute', 61],
    ['a date in more than a minute', 'Fri, 20 Nov 2026 12:01:01 GMT'],
  ])('rejects at once if Retry-After is %s', async (_, retryAfter) => {
    stopClock('2026-11-20T12:00:00Z');
    const server = await startScriptedServer(failure(429, 'too_many_requests', retryAfter));

    await expect(connect(server).listPets()).rejects.toMatchObject({ retryAfterSeconds: 61 });
    expect(server.requests).toHaveLength(1);
  });

  it('is retried if the connection breaks before or within the response', async () => {
    skipWaits();
    const server = await startScriptedServer(
      (response) => response.destroy(),
      (response) => {
        response.writeHead(201, { 'Content-Length': 100 }).write('{"id":');
        response.destroy();
      },
      respond(201, rex),
    );

    expect(await connect(server).createPet(newPet)).toMatchObject({ id: 1n });
  });

  it('rejects with connection_failed and the cause if nothing listens', async () => {
    const client = connect({ maxAttempts: 1 });

    await expect(client.listPets()).rejects.toMatchObject({
      code: 'connection_failed',
      status: undefined,
      cause: expect.any(Error),
    });
  });

  it('rejects with timed_out if each attempt exceeds its own time limit', async () => {
    const delaysMs = skipWaits();
    const limits = shortenTimeouts();
    const silence = () => {};
    const server = await startScriptedServer(silence, silence);

    await expect(
      connect({ ...server, timeoutMs: 400, maxAttempts: 2 }).listPets(),
    ).rejects.toMatchObject({
      code: 'timed_out',
      message: `No response within 400 ms. (listPets: ${server.baseAddress}/pets)`,
    });
    expect(limits).toEqual([[400], [400]]);
    expect(delaysMs).toEqual([100]);
  });

  it('ends with the signal, and is not retried', async () => {
    const controller = new AbortController();
    const server = await startScriptedServer(() => controller.abort());

    await expect(
      connect(server).createPet(newPet, { signal: controller.signal }),
    ).rejects.toMatchObject({ name: 'AbortError' });
    expect(server.requests).toHaveLength(1);
  });

  it('ends with the reason of the signal while it waits', async () => {
    const controller = new AbortController();
    const reason = new Error('The user left.');
    const server = await startScriptedServer(failure(503, 'service_unavailable', 60));
    const { wait: waitByTimer } = await vi.importActual<{ wait: typeof wait }>(
      '../../client/src/wait.ts',
    );
    vi.mocked(wait).mockImplementation((delayMs, signal) => {
      const waiting = waitByTimer(delayMs, signal);
      controller.abort(reason);
      return waiting;
    });

    await expect(connect(server).listPets({}, { signal: controller.signal })).rejects.toBe(reason);
    expect(server.requests).toHaveLength(1);
  });

  it('is not sent if the signal is already aborted', async () => {
    const server = await startScriptedServer();

    const call = connect(server).getPet(1, { signal: AbortSignal.abort() });

    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
    expect(server.requests).toEqual([]);
  });

  it('has its own timeoutMs and maxAttempts if the call passes them', async () => {
    const limits = shortenTimeouts();
    const server = await startScriptedServer(() => {});

    await expect(
      connect(server).getPet(1, { timeoutMs: 300, maxAttempts: 1 }),
    ).rejects.toMatchObject({ code: 'timed_out', reason: 'No response within 300 ms.' });
    expect(limits).toEqual([[300]]);
  });

  it.each([{ timeoutMs: 0 }, { maxAttempts: 0 }])(
    'rejects if the call passes %j, before it is sent',
    async (options) => {
      const server = await startScriptedServer();

      await expect(connect(server).createPet(newPet, options)).rejects.toThrow(TypeError);
      expect(server.requests).toEqual([]);
    },
  );

  it('calls onRequest before each attempt, and onRetry before each wait', async () => {
    const delaysMs = skipWaits();
    const notices: unknown[] = [];
    const server = await startScriptedServer(unavailable, respond(201, rex));
    const hooks = {
      onRequest: (notice: RequestNotice) => notices.push(notice),
      onRetry: (notice: RetryNotice) => notices.push(notice),
    };

    await connect({ ...server, ...hooks }).createPet(newPet);

    const sent = { operation: 'createPet', method: 'POST', address: `${server.baseAddress}/pets` };
    const error = expect.objectContaining({ code: 'service_unavailable' });
    expect(notices).toEqual([
      { ...sent, attempt: 1 },
      { operation: 'createPet', attempt: 1, delayMs: delaysMs[0], error },
      { ...sent, attempt: 2 },
    ]);
  });
});
