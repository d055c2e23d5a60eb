import { operationHandler } from '../lib/http/handler.ts';
import { baseAddress, nextPageLink } from '../lib/http/links.ts';
import { readPetPage } from '../lib/pets/petPages.ts';

export const handler = operationHandler('listPets', async ({ event, input: { query } }) => {
  const { json, nextCursor } = await readPetPage(query, event.log);
  if (nextCursor === undefined) return { json };
  return { json, headers: { Link: nextPageLink(baseAddress(event), query, nextCursor) } };
});
