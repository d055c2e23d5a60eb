import { type RawEvent, toApiEvent } from '../event.ts';
import type { ApiMiddleware, ApiRequest } from './apiMiddleware.ts';

/** Replaces the event by its normalised form, in which no part is `null` or missing. */
export function normalizeEvent(): ApiMiddleware {
  return {
    before: function normalizeEvent(request: ApiRequest) {
      const event = request.event as RawEvent | null;
      request.event = toApiEvent(event ?? {}, request.context);
    },
  };
}
