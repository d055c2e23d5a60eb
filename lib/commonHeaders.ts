/** On every response, whoever makes it, beside its own `X-Request-Id`. */
export const commonHeaders = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
} as const;
