import { operationHandler } from '../lib/http/handler.ts';
import { baseAddress, nextPageLink } from '../lib/http/links.ts';
import { operations } from '../lib/operations.ts';
import { readPetPage } from '../lib/pets/petStore.ts';

export const handler = operationHandler('listPets', async ({ event, input: { query } }) => {
  const { items, nextCursor } = await readPetPage(query, event);
  if (nextCursor === undefined) return { output: items };
  const address = `${baseAddress(event)}${operations.listPets.path}`;
  return { output: items, headers: { Link: nextPageLink(address, query, nextCursor) } };
});
