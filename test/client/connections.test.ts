import type { ServerResponse } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import { timeouts } from '../../lib/config.ts';
import { listen } from '../helpers/listen.ts';
import { connect, receivedRex, rejection } from '../helpers/petStoreClient.ts';
import { minimalPet } from '../helpers/samplePets.ts';

/** Starts a server that reacts to each request in turn. */
async function startServer(...reactions: ((response: ServerResponse) => unknown)[]) {
  const react = vi.fn((response: ServerResponse) => reactions.shift()?.(response));
  const origin = await listen((_, response) => react(response));
  return { baseAddress: `${origin}/v1`, react };
}

const silence = () => {};

/** Makes the random part of each wait zero. A connection needs a clock that runs. */
const shortenWaits = () => vi.spyOn(Math, 'random').mockReturnValue(0);

const add = (response: ServerResponse) => response.writeHead(201).end(JSON.stringify(receivedRex));

const breakOff =
  (status: number, headers = {}) =>
  (response: ServerResponse) => {
    response.writeHead(status, { ...headers, 'Content-Length': 100 });
    response.write('{"id":', () => response.destroy());
  };

describe('a call', () => {
  it('is retried after a broken connection, and after an incomplete response', async () => {
    shortenWaits();
    const server = await startServer((response) => response.destroy(), breakOff(201), add);

    expect(await connect(server).createPet(minimalPet)).toMatchObject({ id: 1n });
  });

  it('keeps the status, request id and Retry-After of an error whose body is incomplete', async () => {
    const headers = { 'X-Request-Id': 'broken', 'Retry-After': '2' };
    const server = await startServer(breakOff(429, headers));

    const error = await rejection(connect({ ...server, maxAttempts: 1 }).listPets());

    const kept = { status: 429, requestId: 'broken', retryAfterSeconds: 2 };
    expect(error).toMatchObject({ code: 'connection_failed', ...kept });
  });

  it('rejects with connection_failed, the address and the cause if nothing listens', async () => {
    const error = await rejection(connect({ maxAttempts: 1 }).listPets());

    expect(error).toMatchObject({
      code: 'connection_failed',
      message: 'No complete response: GET http://127.0.0.1:2/v1/pets',
      status: undefined,
      cause: { cause: { code: 'ECONNREFUSED' } },
    });
  });

  it('follows no redirect, because another server would get the key', async () => {
    const other = await startServer();
    const Location = other.baseAddress;
    const server = await startServer((response) => response.writeHead(307, { Location }).end());

    const error = await rejection(connect(server).listPets());

    expect(error).toMatchObject({ code: 'unexpected_response', status: 307 });
    expect(other.react).not.toHaveBeenCalled();
  });

  it('ends with the reason of an aborted signal while it waits for the response', async () => {
    const controller = new AbortController();
    const reason = new Error('The user left.');
    const server = await startServer(() => controller.abort(reason));

    const { signal } = controller;
    // The test ends before this time limit, and no retry would notice the signal.
    const limits = { signal, timeoutMs: 60_000, maxAttempts: 1 };
    const error = await rejection(connect(server).createPet(minimalPet, limits));

    expect(error).toBe(reason);
  });
});

describe('an attempt', () => {
  it('has the time limit of its call or client, by default more than the service may take', async () => {
    const timeout = vi.spyOn(AbortSignal, 'timeout');
    const fetch = async () => Response.json([]);
    const client = connect({ fetch, timeoutMs: 70_000 });

    await connect({ fetch }).listPets();
    await client.listPets();
    await client.listPets({}, { timeoutMs: 80_000 });

    const [[defaultMs] = [], ...others] = timeout.mock.calls;
    expect(defaultMs).toBeGreaterThan(timeouts.integrationSeconds * 1000);
    expect(others).toEqual([[70_000], [80_000]]);
  });

  it('has a new time limit after one that timed out', async () => {
    shortenWaits();
    vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(AbortSignal.abort());
    const server = await startServer(add);

    expect(await connect(server).createPet(minimalPet)).toMatchObject({ id: 1n });
  });

  const never = new Promise<never>(() => {});

  it.each<[string, () => Promise<Response>]>([
    ['fetch', () => never],
    ['text()', async () => Object.assign(Response.json([]), { text: () => never })],
  ])('has its time limit although the %s of the user ignores the signal', async (_, fetch) => {
    const error = await rejection(connect({ fetch, timeoutMs: 50, maxAttempts: 1 }).listPets());

    expect(error).toMatchObject({ code: 'timed_out', status: undefined });
  });

  it('has a time limit until its body is complete, also with a signal, and the last one rejects with timed_out', async () => {
    shortenWaits();
    const server = await startServer(silence, (response) => response.writeHead(200).write('['));
    const { signal } = new AbortController();
    const fetch = vi.fn(globalThis.fetch);
    const client = connect({ ...server, fetch, timeoutMs: 50 });

    const error = await rejection(client.listPets({}, { signal, maxAttempts: 2 }));

    expect(error).toMatchObject({
      code: 'timed_out',
      message: `No complete response in 50 ms: GET ${server.baseAddress}/pets`,
    });
    // A busy machine may take longer than 50 ms until the server has a request.
    expect(fetch).toHaveBeenCalledTimes(2);
  });
});
