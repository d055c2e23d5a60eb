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

const stall = (status: number) => (response: ServerResponse) => {
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

describe('a call', () => {
  it('is retried after a broken connection, and after an incomplete response', async () => {
    shortenWaits();
    const server = await startServer(
      (response) => response.destroy(),
      (response) => {
        response.writeHead(201, { 'Content-Length': 100 });
        response.write('{"id":', () => response.destroy());
      },
      add,
    );

    expect(await connect(server).createPet(minimalPet)).toMatchObject({ id: 1n });
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

  // In the last attempt, no retry would notice the signal.
  it.each([2, 1])(
    'ends with the reason of an aborted signal while it waits for the response with %d attempts left',
    async (maxAttempts) => {
      const controller = new AbortController();
      const reason = new Error('The user left.');
      const server = await startServer(() => controller.abort(reason));

      const { signal } = controller;
      // The test ends before this time limit, so only the signal can end the call.
      const limits = { signal, timeoutMs: 60_000, maxAttempts };
      const error = await rejection(connect(server).createPet(minimalPet, limits));

      expect(error).toBe(reason);
      expect(server.react).toHaveBeenCalledOnce();
    },
  );
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

  it('has a time limit of its own, also with a signal, and the last one rejects with timed_out', async () => {
    shortenWaits();
    const server = await startServer(silence, silence);
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

describe('a response whose body stalls', () => {
  it.each([429, 503])('keeps the status, request id and Retry-After of a %d', async (status) => {
    const server = await startServer(stall(status));

    // Retry-After is longer than a minute, so no second attempt is made.
    const call = connect({ ...server, fetch: timeOutAfterHeaders() }).listPets();

    const kept = { status, requestId: 'stalled', retryAfterSeconds: 61 };
    expect(await rejection(call)).toMatchObject({ code: 'timed_out', ...kept });
    expect(server.react).toHaveBeenCalledOnce();
  });

  it('is retried if it is a success', async () => {
    shortenWaits();
    const server = await startServer(stall(201), add);

    const client = connect({ ...server, fetch: timeOutAfterHeaders() });

    expect(await client.createPet(minimalPet)).toMatchObject({ id: 1n });
  });
});
