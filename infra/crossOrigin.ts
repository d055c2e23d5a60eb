import { operationEntries } from '../lib/operations.ts';

/** What a preflight response allows, in addition to the origin. */
export const preflightHeaders = {
  'Access-Control-Allow-Methods': [
    ...new Set(operationEntries.map(([, { method }]) => method)),
  ].join(', '),
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, Idempotency-Key',
  'Access-Control-Max-Age': '7200', // the longest time that Chromium accepts
};

/**
 * What API Gateway adds to its own errors. It cannot choose by origin.
 *
 * Their bodies are literals, and without an allowed preflight no request has a key.
 */
export const gatewayCorsHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': '*',
};
