import type { Context } from 'aws-lambda';
import { requestLog } from '../../logging.ts';
import type { ApiEvent, ApiMiddleware, ApiRequest, RawEvent } from '../event.ts';

/** Replaces the event by its normalised form, in which no part is `null` or missing. */
export function normalizeEvent(): ApiMiddleware {
  return {
    before: function normalizeEvent(request: ApiRequest) {
      const event = request.event as RawEvent | null;
      request.event = toApiEvent(event ?? {}, request.context);
    },
  };
}

function toApiEvent(event: RawEvent, context: Partial<Context>): ApiEvent {
  const { requestContext } = event;
  const query: ApiEvent['query'] = withoutNulls(event.queryStringParameters);
  const lists = withoutNulls(event.multiValueQueryStringParameters);
  for (const [name, values] of Object.entries(lists)) {
    const [value] = values;
    query[name] = value !== undefined && values.length === 1 ? value : values;
  }
  return {
    requestId: requestContext?.requestId ?? crypto.randomUUID(),
    method: event.httpMethod ?? '',
    path: event.path ?? '',
    publicPath: requestContext?.path ?? undefined,
    domainName: requestContext?.domainName ?? undefined,
    headers: withoutNulls(event.headers),
    multiValueHeaders: mergedByLowerCase(event.multiValueHeaders),
    pathParameters: withoutNulls(event.pathParameters),
    query,
    body: event.body ?? null,
    isBase64Encoded: event.isBase64Encoded ?? false,
    log: requestLog(context),
    logFields: {},
  };
}

/** A header may arrive in two spellings. The header normaliser would keep only the last one. */
function mergedByLowerCase(lists: RawEvent['multiValueHeaders']): Record<string, string[]> {
  const merged: Record<string, string[]> = Object.create(null);
  for (const name in lists) {
    const values = lists[name];
    const lowerCaseName = name.toLowerCase();
    if (values) merged[lowerCaseName] = merged[lowerCaseName]?.concat(values) ?? values;
  }
  return merged;
}

/**
 * Copies a map, which may be `null`. In an event written by hand, its values may be `null` too.
 *
 * The copy has no prototype, so `__proto__` is an ordinary name.
 */
function withoutNulls<T>(
  map: Record<string, T | null | undefined> | null | undefined,
): Record<string, T> {
  const copy: Record<string, T> = Object.create(null);
  for (const name in map) {
    const value = map[name];
    if (value != null) copy[name] = value;
  }
  return copy;
}
