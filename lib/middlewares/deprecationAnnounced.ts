import { baseAddress, link } from '../links.ts';
import type { Deprecation } from '../operations.ts';
import type { ApiMiddleware, ApiRequest } from './ApiMiddleware.ts';

/** Tells the clients of a deprecated operation, on every answer, until when they must have moved. */
export function deprecationAnnounced({ since, sunset, successorPath }: Deprecation): ApiMiddleware {
  const announcement = {
    // RFC 9745: a structured-field date, in seconds since 1970.
    Deprecation: `@${Date.parse(since) / 1000}`,
    // RFC 8594: an HTTP date.
    Sunset: new Date(sunset).toUTCString(),
  };

  function announceDeprecation({ event, response }: ApiRequest) {
    const Link = link(`${baseAddress(event)}${successorPath}`, 'successor-version');
    if (response) Object.assign(response.headers, announcement, { Link });
  }

  return { after: announceDeprecation, onError: announceDeprecation };
}
