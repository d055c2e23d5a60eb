/** Returns the headers that let a page of an allowed origin read a response. */
export function corsHeaders(
  origin = '',
  allowedOrigins: readonly string[],
): Record<string, string> {
  return {
    Vary: 'Origin',
    ...(allowedOrigins.includes(origin) && {
      'Access-Control-Allow-Origin': origin,
      // All headers: keys are sent explicitly, never as cookies.
      'Access-Control-Expose-Headers': '*',
    }),
  };
}
