import { addPetOnce } from '../lib/addPetOnce.ts';
import { baseAddress } from '../lib/links.ts';
import { operationHandler } from '../lib/operationHandler.ts';
import { addPet } from '../lib/petStore.ts';

export const handler = operationHandler('createPet', async ({ event, input }) => {
  const { apiKeyId } = event;
  const { 'idempotency-key': idempotencyKey } = input.headers;
  const pet = idempotencyKey
    ? await addPetOnce(input.body, { apiKeyId, idempotencyKey })
    : await addPet(input.body);
  return { body: pet, headers: { Location: `${baseAddress(event)}/pets/${pet.id}` } };
});
