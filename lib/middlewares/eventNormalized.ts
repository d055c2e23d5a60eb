import { type RawEvent, toApiEvent } from '../ApiEvent.ts';
import type { ApiMiddleware, ApiRequest } from './ApiMiddleware.ts';

/** Gives all that follows one spelling of the event, with no gaps where AWS sends `null`. */
export function eventNormalized(): ApiMiddleware {
  return {
    before: function normalizeEvent(request: ApiRequest) {
      const event = request.event as RawEvent | null;
      // An event that no gateway sends may fail below, and its answer needs a request id as well.
      request.event = toApiEvent({}, request.context);
      request.event = toApiEvent(event ?? {}, request.context);
    },
  };
}
