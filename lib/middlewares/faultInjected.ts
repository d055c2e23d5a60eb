import type { ApiMiddleware } from './ApiMiddleware.ts';

/** Fails every request of a caller with a key, for operators who watch a bad version roll back. */
export function faultInjected(): ApiMiddleware {
  return {
    before: function injectFault() {
      throw new Error('This version was deployed with FAULT=on.');
    },
  };
}
