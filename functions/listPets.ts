import { baseAddress, nextPageLink } from '../lib/links.ts';
import { operationHandler } from '../lib/operationHandler.ts';
import { listPets } from '../lib/petStore.ts';

export const handler = operationHandler('listPets', async ({ event, input: { query } }) => {
  const { pets, nextCursor } = await listPets(query);
  if (nextCursor === undefined) return { body: pets };
  return { body: pets, headers: { Link: nextPageLink(baseAddress(event), query, nextCursor) } };
});
