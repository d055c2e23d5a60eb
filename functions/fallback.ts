import { requestHandler } from '../lib/http/handler.ts';
import { routeError } from '../lib/http/routes.ts';

/** No operation: responds 404 or 405 to authenticated requests that no operation serves, and 401 to all others. */
export const handler = requestHandler('fallback', { input: {} }, async ({ path }) => {
  throw routeError(path);
});
