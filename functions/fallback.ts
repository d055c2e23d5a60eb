import { requestHandler } from '../lib/http/handler.ts';
import { routeError } from '../lib/http/routes.ts';

/** Responds 404 or 405 to requests that no operation serves, and 401 to those without a valid key. */
export const handler = requestHandler('fallback', { input: {} }, async ({ path }) => {
  throw routeError(path);
});
