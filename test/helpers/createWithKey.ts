import { handler as createPet } from '../../functions/createPet.ts';
import { call } from './api.ts';

export const rex = { name: 'Rex', categoryId: 7, status: 'available' };

let keyNumber = 0;
export const newKey = () => `order-${++keyNumber}`;

/** Adds a pet with an Idempotency-Key. */
export const createWithKey = (idempotencyKey: string, body: unknown = rex, headers = {}) =>
  call(createPet, { body, headers: { 'Idempotency-Key': idempotencyKey, ...headers } });
