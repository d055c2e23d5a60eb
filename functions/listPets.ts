import { baseAddress, nextPageLink } from '../lib/links.ts';
import { listPets } from '../lib/listPets.ts';
import { operationHandler } from '../lib/operationHandler.ts';

export const handler = operationHandler('listPets', async ({ event, input: { query } }) => {
  const { json, nextCursor } = await listPets(query);
  if (nextCursor === undefined) return { json };
  return { json, headers: { Link: nextPageLink(baseAddress(event), query, nextCursor) } };
});
