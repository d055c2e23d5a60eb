import { expect } from 'vitest';
import { createPetStoreClient } from '../../client/src/createPetStoreClient.ts';
import type { PetStoreError } from '../../client/src/PetStoreError.ts';
import type { PetStoreClientOptions } from '../../client/src/types.ts';
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

/** A `fetch` that returns these responses in turn. `sent` has the address, headers and body of each request. */
export function scriptedFetch(...responses: Response[]) {
  const sent: { address: string; headers: Headers; body: unknown; atMs: number }[] = [];
  const fetch: typeof globalThis.fetch = async (address, { headers, body } = {}) => {
    sent.push({ address: `${address}`, headers: new Headers(headers), body, atMs: Date.now() });
    return responses.shift() ?? expect.unreachable('The script is over.');
  };
  return { fetch, sent };
}
