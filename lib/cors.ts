/** The headers that a page may read, in addition to those that browsers always show. */
const exposedHeaders = 'Deprecation, Link, Location, Retry-After, Sunset, X-Request-Id';

/** Returns the headers that let a page of an allowed origin read a response. */
export function corsHeaders(
  origin: string | undefined,
  allowedOrigins: readonly string[],
): Record<string, string> {
  return {
    ...(allowedOrigins.includes(origin as string) && {
      'Access-Control-Expose-Headers': exposedHeaders,
      'Access-Control-Allow-Origin': origin as string,
    }),
    Vary: 'Origin',
  };
}
