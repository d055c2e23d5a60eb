/** Returns the headers that let a page of an allowed origin read a response. */
export function corsHeaders(
  origin: string | undefined,
  allowedOrigins: readonly string[],
): Record<string, string> {
  return {
    ...(allowedOrigins.includes(origin as string) && {
      // All headers: keys are sent explicitly, never as cookies.
      'Access-Control-Expose-Headers': '*',
      'Access-Control-Allow-Origin': origin as string,
    }),
    Vary: 'Origin',
  };
}
