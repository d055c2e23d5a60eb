import { releaseCheckPartition } from '../../dynamodb/tables.ts';
import type { ApiMiddleware } from './apiMiddleware.ts';

/**
 * Fails every request with an API key, so that operators can watch a bad version roll back.
 *
 * The release hook has none: it would refuse the version before any client notices it.
 */
export function injectFault(): ApiMiddleware {
  return {
    before: function injectFault({ event }) {
      if (event.partition === releaseCheckPartition) return;
      throw new Error('This version was deployed with FAULT=on.');
    },
  };
}
