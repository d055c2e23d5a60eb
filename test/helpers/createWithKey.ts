import { handler as createPet } from '../../functions/createPet.ts';
import { call } from './api.ts';
import { rex } from './samplePets.ts';

export { newKey, rex } from './samplePets.ts';

/** Adds a pet with an Idempotency-Key. */
export const createWithKey = (idempotencyKey: string, body: unknown = rex, headers = {}) =>
  call(createPet, { idempotencyKey, body, headers });
