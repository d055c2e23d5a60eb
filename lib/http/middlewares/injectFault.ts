import type { ApiMiddleware } from './apiMiddleware.ts';

/** Fails every authenticated request, so that operators can watch a bad version roll back. */
export function injectFault(): ApiMiddleware {
  return {
    before: function injectFault() {
      throw new Error('This version was deployed with FAULT=on.');
    },
  };
}
