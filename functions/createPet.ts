import { operationHandler } from '../lib/http/handler.ts';
import { baseAddress } from '../lib/http/links.ts';
import { operations } from '../lib/operations.ts';
import { addPet } from '../lib/pets/petStore.ts';

export const handler = operationHandler('createPet', async ({ event, input }) => {
  const { apiKeyId, log } = event;
  const { 'idempotency-key': idempotencyKey } = input.headers;
  const key = { apiKeyId, idempotencyKey };
  const { id, json, isReplayed } = await addPet(input.body, key, log);
  event.logFields.petId = id;
  if (!isReplayed) event.logFields.petsCreated = 1;
  return {
    json,
    headers: {
      Location: `${baseAddress(event)}${operations.createPet.path}/${id}`,
      ...(isReplayed && { 'Idempotent-Replayed': 'true' }),
    },
  };
});
