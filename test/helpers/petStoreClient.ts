import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { expect, vi } from 'vitest';
import { createPetStoreClient } from '../../client/src/createPetStoreClient.ts';
import type { PetStoreError } from '../../client/src/PetStoreError.ts';
import type { PetStoreClientOptions } from '../../client/src/types.ts';
import { listen } from './listen.ts';
import { rex } from './samplePets.ts';

export const key = 'ps_local_secret';

/** A pet as the service sends it. */
export const receivedRex = { id: 1, ...rex };

/** Creates a client. By default nothing listens at its address, whose port `fetch` does not block. */
export const connect = (options: Partial<PetStoreClientOptions> = {}) =>
  createPetStoreClient({ baseAddress: 'http://127.0.0.1:2/v1', apiKey: key, ...options });

/** Returns the error that a call rejects with. */
export const rejection = (call: Promise<unknown>): Promise<PetStoreError> =>
  call.then(
    () => expect.unreachable('The call succeeded.'),
    (error) => error,
  );

/** Makes the random part of each wait zero. A connection needs a clock that runs. */
export const shortenWaits = () => vi.spyOn(Math, 'random').mockReturnValue(0);

type Reaction = (response: ServerResponse) => unknown;

/** Starts a server that handles each request with the next reaction, and records the requests. */
export async function startScriptedServer(...script: Reaction[]) {
  const requests: { path: string; headers: IncomingHttpHeaders }[] = [];
  const origin = await listen(({ url: path = '', headers }, response) => {
    const react = script[requests.push({ path, headers }) - 1];
    (react ?? respond(599, 'The script is over.'))(response);
  });
  return { baseAddress: `${origin}/v1`, requests };
}

/** Responds with JSON, or with a string as it is. */
export function respond(
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): Reaction {
  return (response) => {
    response
      .writeHead(status, { 'Content-Type': 'application/json', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}
