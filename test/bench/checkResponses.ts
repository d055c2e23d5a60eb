import assert from 'node:assert/strict';
import { type MeasuredOperation, newPet } from './events.ts';
import type { FunctionResponse } from './RuntimeApi.ts';

/** Asserts that a variant created the whole pet, with every digit. Returns its id. */
export function checkCreated(response: FunctionResponse): bigint {
  const { name, categoryId, status } = newPet;
  const form = `{"id":(\\d+),"name":"${name}","categoryId":${categoryId},"status":"${status}"}`;
  const [, id] = new RegExp(`^${form}$`).exec(response.body) ?? [];
  assert(response.statusCode === 201 && id, `${response.statusCode}: ${response.body}`);
  return BigInt(id);
}

/** Asserts that a variant listed 100 pets, with every digit. Returns their text. */
export function checkListed({ statusCode, body }: FunctionResponse): string {
  assert.equal(statusCode, 200, body);
  assert.equal(JSON.parse(body).length, 100);
  return body;
}

/** Checks one of the responses that are timed. */
export function checkResponse(operation: MeasuredOperation, response: FunctionResponse): void {
  if (operation === 'createPet') checkCreated(response);
  else assert(checkListed(response).includes(`"categoryId":${newPet.categoryId}`));
}
