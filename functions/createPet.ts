import { operationHandler } from '../lib/http/handler.ts';
import { baseAddress } from '../lib/http/links.ts';
import { operations } from '../lib/operations.ts';
import { addPet } from '../lib/pets/petStore.ts';

export const handler = operationHandler('createPet', async ({ event, input }) => {
  const { 'idempotency-key': idempotencyKey } = input.headers;
  const key = { apiKeyId: event.apiKeyId, idempotencyKey };
  const { pet, isReplayed } = await addPet(input.body, key, event);
  return {
    output: pet,
    headers: {
      Location: `${baseAddress(event)}${operations.createPet.path}/${pet.id}`,
      ...(isReplayed && { 'Idempotent-Replayed': 'true' }),
    },
  };
});
