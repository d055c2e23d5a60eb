import { expect } from 'vitest';
import { createPetStoreClient } from '../../client/src/createPetStoreClient.ts';
import type { PetStoreError } from '../../client/src/PetStoreError.ts';
import type { PetStoreClientOptions } from '../../client/src/types.ts';
import { rex } from './samplePets.ts';

export const key = 'ps_local_secret';

/** A pet as the service sends it. */
export const receivedRex = { id: 1, ...rex };

/** Creates a client. By default nothing listens at its address. */
export const connect = (options: Partial<PetStoreClientOptions> = {}) =>
  createPetStoreClient({ baseAddress: 'http://127.0.0.1:1/v1', apiKey: key, ...options });

/** Returns the error that a call rejects with. */
export const rejection = (call: Promise<unknown>): Promise<PetStoreError> =>
  call.then(
    () => expect.unreachable('The call succeeded.'),
    (error) => error,
  );
