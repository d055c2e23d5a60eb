import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import type { PetStoreClient } from '../../client/src/createPetStoreClient.ts';
import { errorStatuses } from '../../lib/errors.ts';
import { connect, receivedRex, rejection, scriptedFetch } from '../helpers/petStoreClient.ts';
import { minimalPet } from '../helpers/samplePets.ts';

const failure = (status: number, code: string, headers: Record<string, string> = {}) =>
  Response.json({ code, message: 'Later.', status }, { status, headers });

const delaysMs = (sent: { atMs: number }[]) =>
  sent.slice(1).map(({ atMs }, index) => atMs - (sent[index]?.atMs ?? 0));

const permanentErrors = Object.entries(errorStatuses).filter(
  ([, status]) => ![429, 503, 504].includes(status),
);

/** Stops the clock, and lets it jump to the end of each wait. */
function skipWaits(): void {
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  vi.setTimerTickMode('nextTimerAsync');
}

describe('a call', () => {
  it('waits for a Retry-After of up to a minute, then sends the same body with the same Idempotency-Key', async () => {
    skipWaits();
    const { fetch, sent } = scriptedFetch(
      failure(503, 'service_unavailable', { 'Retry-After': '60' }),
      Response.json(receivedRex, { status: 201 }),
    );

    expect(await connect({ fetch }).createPet(minimalPet)).toMatchObject({ id: 1n });

    expect(delaysMs(sent)).toEqual([60_000 + 100]);
    const [first, second] = sent;
    expect(first?.headers.get('Idempotency-Key')).toEqual(expect.any(String));
    expect(second?.headers).toEqual(first?.headers);
    expect(second?.body).toBe(first?.body);
  });

  it('waits twice as long each time, up to 10 s, for as many attempts as it has', async () => {
    skipWaits();
    const failures = Array.from({ length: 9 }, () => failure(429, 'too_many_requests'));
    const { fetch, sent } = scriptedFetch(...failures);

    const error = await rejection(connect({ fetch, maxAttempts: 9 }).listPets());

    expect(error).toMatchObject({ code: 'too_many_requests', status: 429, message: 'Later.' });
    expect(delaysMs(sent)).toEqual([100, 200, 400, 800, 1600, 3200, 5000, 5000]);
  });

  it.each([
    ['3 by default', 3, {}, {}],
    ['those of the call', 1, { maxAttempts: 4 }, { maxAttempts: 1 }],
    ['one for NaN, as from a missing environment variable', 1, { maxAttempts: Number.NaN }, {}],
  ])('has as many attempts as it may: %s', async (_, count, options, callOptions) => {
    skipWaits();
    const failures = Array.from({ length: 4 }, () => failure(504, 'gateway_timeout'));
    const { fetch, sent } = scriptedFetch(...failures);

    const error = await rejection(connect({ fetch, ...options }).listPets({}, callOptions));

    expect(error).toMatchObject({ code: 'gateway_timeout' });
    expect(sent).toHaveLength(count);
  });

  it.each([
    ['502 of a proxy', new Response('<h1>Bad gateway</h1>', { status: 502 })],
    [
      '503 with a date in Retry-After',
      failure(503, 'service_unavailable', { 'Retry-After': 'Fri, 20 Nov 2026 12:00:00 GMT' }),
    ],
  ])('is retried after a %s', async (_, response) => {
    skipWaits();
    const { fetch, sent } = scriptedFetch(response, Response.json([]));

    expect(await connect({ fetch }).listPets()).toEqual({ pets: [] });
    expect(delaysMs(sent)).toEqual([100]);
  });

  it.each(permanentErrors)('is not retried after %s', async (code, status) => {
    const { fetch, sent } = scriptedFetch(failure(status, code));

    expect(await rejection(connect({ fetch }).createPet(minimalPet))).toMatchObject({ code });
    expect(sent).toHaveLength(1);
  });

  it('is not retried after a Retry-After of more than a minute', async () => {
    const headers = { 'Retry-After': '61' };
    const { fetch, sent } = scriptedFetch(failure(429, 'too_many_requests', headers));

    expect(await rejection(connect({ fetch }).listPets())).toMatchObject({ retryAfterSeconds: 61 });
    expect(sent).toHaveLength(1);
  });

  it('leaves no listener on a signal that outlives it', async () => {
    skipWaits();
    const { signal } = new AbortController();
    const { fetch } = scriptedFetch(failure(503, 'service_unavailable'), Response.json([]));

    await connect({ fetch }).listPets({}, { signal });

    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('an aborted call', () => {
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
  });

  const aborted = { signal: AbortSignal.abort() };

  it.each([
    ['getPet', (client: PetStoreClient) => client.getPet(1, aborted)],
    ['allPets', (client: PetStoreClient) => client.allPets({}, aborted).next()],
  ])('is not sent if the signal is already aborted: %s', async (_, call) => {
    const { fetch, sent } = scriptedFetch();

    const error = await rejection(call(connect({ fetch })));

    expect(error.name).toBe('AbortError');
    expect(sent).toEqual([]);
  });
});
