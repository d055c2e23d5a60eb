import { type RawEvent, toApiEvent } from '../ApiEvent.ts';
import type { ApiMiddleware, ApiRequest } from './ApiMiddleware.ts';

/** Gives all that follows one spelling of the event, with no gaps where AWS sends `null`. */
export function eventNormalized(): ApiMiddleware {
  return {
    before: function normalizeEvent(request: ApiRequest) {
      const event = request.event as RawEvent | null;
      try {
        request.event = toApiEvent(event ?? {}, request.context);
      } catch (error) {
        // No gateway sends such an event, and yet its answer needs a request id.
        request.event = toApiEvent({}, request.context);
        throw error;
      }
    },
  };
}
