import { releaseCheckPrefix } from '../../dynamodb/tables.ts';
import type { ApiMiddleware } from './apiMiddleware.ts';

/**
 * Fails every request with an API key, so that operators can watch a bad version roll back.
 *
 * It spares the release hook, which would refuse the version before any traffic.
 */
export function injectFault(): ApiMiddleware {
  return {
    before: function injectFault({ event }) {
      if (event.petKeyPrefix === releaseCheckPrefix) return;
      throw new Error('This version was deployed with FAULT=on.');
    },
  };
}
