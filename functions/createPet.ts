import { operationHandler } from '../lib/http/handler.ts';
import { baseAddress } from '../lib/http/links.ts';
import { operations } from '../lib/operations.ts';
import { addPet, addPetOnce } from '../lib/pets/petStore.ts';

export const handler = operationHandler('createPet', async ({ event, input }) => {
  const { apiKeyId, log } = event;
  const { 'idempotency-key': idempotencyKey } = input.headers;
  const { id, json, isNew } = idempotencyKey
    ? await addPetOnce(input.body, { apiKeyId, idempotencyKey }, log)
    : await addPet(input.body, log);
  event.logFields.petId = id;
  if (isNew) event.logFields.petsCreated = 1;
  return { json, headers: { Location: `${baseAddress(event)}${operations.createPet.path}/${id}` } };
});
