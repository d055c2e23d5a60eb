import { requestHandler } from '../lib/requestHandler.ts';
import { routeError } from '../lib/routes.ts';

/** Answers what no operation does, behind the same stack: without a key nothing but 401 is learnt. */
export const handler = requestHandler('fallback', { input: {} }, async ({ path }) => {
  throw routeError(path);
});
