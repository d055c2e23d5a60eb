/**
 * How long the parts of a request may take. Each outer part gives the inner one time to respond.
 *
 * After the integration, API Gateway itself waits for up to 29 s.
 */
export const timeouts = {
  /** For each attempt of a call. The SDK has no time-outs by default. */
  databaseConnectionMs: 500,
  databaseResponseMs: 1_500,
  databaseAttempts: 3,
  /** Left for a 503 before Lambda ends the function. */
  earlyResponseMs: 250,
  functionSeconds: 10,
  integrationSeconds: 12,
} as const;
