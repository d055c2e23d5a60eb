import { operationHandler } from '../lib/http/handler.ts';
import { baseAddress } from '../lib/http/links.ts';
import { addPetOnce } from '../lib/pets/idempotency.ts';
import { addPet } from '../lib/pets/petStore.ts';

export const handler = operationHandler('createPet', async ({ event, input }) => {
  const { apiKeyId, petKeyPrefix } = event;
  const { 'idempotency-key': idempotencyKey } = input.headers;
  const pet = idempotencyKey
    ? await addPetOnce(input.body, { apiKeyId, idempotencyKey, petKeyPrefix })
    : await addPet(input.body, petKeyPrefix);
  return { body: pet, headers: { Location: `${baseAddress(event)}/pets/${pet.id}` } };
});
