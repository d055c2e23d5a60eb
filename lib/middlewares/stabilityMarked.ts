import type { Operation } from '../operations.ts';
import type { ApiMiddleware, ApiRequest } from './ApiMiddleware.ts';

/** Tells the clients of an operation that is `beta` or `experimental`, on every answer, that it is. */
export function stabilityMarked(stability: NonNullable<Operation['stability']>): ApiMiddleware {
  function markStability({ response }: ApiRequest) {
    if (response) response.headers['X-Stability'] = stability;
  }

  return { after: markStability, onError: markStability };
}
