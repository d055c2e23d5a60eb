import { operationEntries } from '../lib/operations.ts';

/** The headers of a preflight response, in addition to the origin. */
export const preflightHeaders = {
  'Access-Control-Allow-Methods': [
    ...new Set(operationEntries.map(([, { method }]) => method)),
  ].join(', '),
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, Idempotency-Key',
  'Access-Control-Max-Age': '7200', // the longest time that Chromium accepts
};

/**
 * The headers that API Gateway adds to its own errors. It cannot choose by origin.
 *
 * The bodies of the errors are literals, and a page can send a key only after an allowed preflight.
 */
export const gatewayCorsHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': '*',
};
