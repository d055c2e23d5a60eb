import { methodsOf, operationEntries } from './operations.ts';

/** The headers that a page may read, in addition to those that browsers always show. */
const exposedHeaders = listed([
  ...operationEntries.flatMap(([, { responseHeaders = [], deprecation }]) => [
    ...responseHeaders,
    ...(deprecation ? ['Deprecation', 'Link', 'Sunset'] : []),
  ]),
  'Retry-After',
  'X-Request-Id',
]);

/** Returns the headers that let a page of an allowed origin read a response. */
export function corsHeaders(
  origin: string | string[] | undefined,
  allowedOrigins: readonly string[],
): Record<string, string> {
  const isAllowed = typeof origin === 'string' && allowedOrigins.includes(origin);
  return {
    ...(isAllowed && {
      'Access-Control-Expose-Headers': exposedHeaders,
      'Access-Control-Allow-Origin': origin,
    }),
    Vary: 'Origin',
  };
}

/** Returns the headers of a preflight response, in addition to the origin. */
export function preflightHeaders(): Record<string, string> {
  return {
    'Access-Control-Allow-Methods': listed(operationEntries.flatMap(([, row]) => methodsOf(row))),
    // All headers, because libraries for tracing add their own. `*` does not cover Authorization.
    'Access-Control-Allow-Headers': 'Authorization, *',
    'Access-Control-Max-Age': '7200', // the longest time that Chromium accepts
  };
}

function listed(names: string[]): string {
  return [...new Set(names)].join(', ');
}

/**
 * The headers that API Gateway adds to its own errors, for every origin.
 *
 * This is safe: the bodies of the errors are literals, and a page can send a key only after a preflight
 * that allowed its origin.
 */
export const gatewayCorsHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': '*',
};
