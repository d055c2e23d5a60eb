import { config } from '../../config.ts';
import { corsHeaders } from '../../cors.ts';
import { commonHeaders, type Deprecation } from '../../operations.ts';
import type { ApiEvent, ApiMiddleware, ApiRequest } from '../event.ts';
import { baseAddress, link } from '../links.ts';

export function addCommonHeaders(): ApiMiddleware {
  return addToEveryResponse(({ requestId, headers }) => {
    const { corsOrigins } = config();
    return {
      ...commonHeaders,
      'X-Request-Id': requestId,
      ...(corsOrigins && corsHeaders(headers.origin, corsOrigins)),
    };
  });
}

/** Announces the removal of a deprecated operation on each of its responses. */
export function addDeprecationHeaders(deprecation: Deprecation): ApiMiddleware {
  return addToEveryResponse((event) => deprecationHeaders(deprecation, baseAddress(event)));
}

export function deprecationHeaders({ since, sunset, successorPath }: Deprecation, base: string) {
  return {
    // RFC 9745: a structured-field date, in seconds since 1970.
    Deprecation: `@${Date.parse(since) / 1000}`,
    // RFC 8594: an HTTP date.
    Sunset: new Date(sunset).toUTCString(),
    Link: link(`${base}${successorPath}`, 'successor-version'),
  };
}

function addToEveryResponse(
  headersFor: (event: ApiEvent) => Record<string, string>,
): ApiMiddleware {
  function addHeaders({ event, response }: ApiRequest) {
    if (!response) return;
    for (const [name, value] of Object.entries(headersFor(event))) {
      // A list may have a `Link` of its own, to its next page.
      const own = response.headers[name];
      response.headers[name] = own ? `${own}, ${value}` : value;
    }
  }
  return { after: addHeaders, onError: addHeaders };
}
