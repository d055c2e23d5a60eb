import { ApiError } from '../lib/errors.ts';
import { operationHandler } from '../lib/http/handler.ts';
import { findPet } from '../lib/pets/petStore.ts';
import { petNotFound } from '../lib/schemas.ts';

export const handler = operationHandler('getPet', async ({ event, input }) => {
  const pet = await findPet(input.path.petId, event);
  if (!pet) throw new ApiError('not_found', petNotFound);
  return { output: pet };
});
