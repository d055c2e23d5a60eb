import { expect } from 'vitest';
import { createPetStoreClient } from '../../client/src/createPetStoreClient.ts';
import type { PetStoreError } from '../../client/src/PetStoreError.ts';
import type { PetStoreClientOptions } from '../../client/src/settings.ts';

export const key = 'ps_local_secret';

/** A client of a server that is none of ours, or of none at all. */
export const connect = (options: Partial<PetStoreClientOptions> = {}) =>
  createPetStoreClient({ baseAddress: 'http://127.0.0.1:1/v1', apiKey: key, ...options });

/** What a call is rejected with. */
export const rejection = (call: Promise<unknown>): Promise<PetStoreError> =>
  call.then(
    () => expect.unreachable('The call was answered.'),
    (error) => error,
  );
