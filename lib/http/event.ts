import type { APIGatewayProxyEvent, APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { type PetKeyPrefix, releaseCheckPrefix } from '../dynamodb/tables.ts';

/** An event of a REST API or an HTTP API, or one that was written by hand and lacks parts. */
export type RawEvent = Nullable<
  Omit<APIGatewayProxyEvent, 'requestContext'> &
    Pick<APIGatewayProxyEventV2, 'rawPath' | 'rawQueryString'> & {
      requestContext: Nullable<{
        requestId: string;
        domainName: string;
        stage: string;
        path: string;
        http: Nullable<{ path: string }>;
      }>;
      /**
       * Whether the release hook sent the event. A client cannot set it: API Gateway makes the event, and
       * puts what a client sends into `headers`, `body` and so on.
       */
      isReleaseCheck: boolean;
    }
>;

/** An object whose members may be `null` or missing. */
type Nullable<T> = { [Key in keyof T]?: T[Key] | null | undefined };

/** The parts of a request that the middleware stack reads, the same for both event formats. */
export type ApiEvent = {
  requestId: string;
  /** Without domain and stage: `/v1/pets`. Empty if the event has no path. */
  path: string;
  /** As the client sent it, with the stage if the address has one: `/v1-staging/v1/pets`. */
  publicPath?: string | undefined;
  domainName?: string | undefined;
  /** Keyed by the names as sent, and by lower-case names after the header normaliser. */
  headers: Record<string, string>;
  /** Keyed by lower-case names. */
  multiValueHeaders: Record<string, string[]>;
  pathParameters: Record<string, string>;
  /** A repeated parameter is an array. */
  query: Record<string, string | string[]>;
  /** The text as sent; its value after parsing; `null` without a body. */
  body: unknown;
  isBase64Encoded: boolean;
  /** Separates the pets of the release hook from those of clients. */
  petKeyPrefix: PetKeyPrefix;
  /** The public id of the caller's API key, after authentication. */
  apiKeyId?: string;
  /** The validated parts of the request that the operation reads. */
  input?: unknown;
};

export function toApiEvent(event: RawEvent, context: Partial<Context>): ApiEvent {
  const { requestContext } = event;
  return {
    requestId: requestContext?.requestId ?? context.awsRequestId ?? crypto.randomUUID(),
    path: event.path ?? withoutStage(event.rawPath ?? '', requestContext?.stage ?? ''),
    publicPath: requestContext?.path ?? requestContext?.http?.path ?? undefined,
    domainName: requestContext?.domainName ?? undefined,
    headers: withoutNulls(event.headers),
    multiValueHeaders: mergedByLowerCase(withoutNulls(event.multiValueHeaders)),
    pathParameters: withoutNulls(event.pathParameters),
    query: queryOf(event),
    body: event.body ?? null,
    isBase64Encoded: event.isBase64Encoded ?? false,
    petKeyPrefix: event.isReleaseCheck === true ? releaseCheckPrefix : '',
  };
}

/** The path of an HTTP API starts with the stage, unless that is `$default`. */
function withoutStage(rawPath: string, stage: string): string {
  const prefix = `/${stage}`;
  return stage && rawPath.startsWith(`${prefix}/`) ? rawPath.slice(prefix.length) : rawPath;
}

function queryOf(event: RawEvent): ApiEvent['query'] {
  const everyValue = withoutNulls(event.multiValueQueryStringParameters);
  const query: ApiEvent['query'] = copyMap(withoutNulls(event.queryStringParameters));
  for (const [name, values] of Object.entries({ ...everyValue, ...rawQueryOf(event) })) {
    const [value] = values;
    query[name] = value !== undefined && values.length === 1 ? value : values;
  }
  return query;
}

/** Only `rawQueryString` keeps repeated parameters apart: elsewhere an HTTP API joins them with commas. */
function rawQueryOf({ rawQueryString }: RawEvent): Record<string, string[]> {
  const parameters = new URLSearchParams(rawQueryString ?? '');
  return Object.fromEntries([...parameters.keys()].map((name) => [name, parameters.getAll(name)]));
}

/** A header may arrive in two spellings. The header normaliser would keep only the last one. */
function mergedByLowerCase(lists: Record<string, string[]>): Record<string, string[]> {
  const merged: Record<string, string[]> = copyMap({});
  for (const [name, values] of Object.entries(lists)) {
    const lowerCaseName = name.toLowerCase();
    merged[lowerCaseName] = merged[lowerCaseName]?.concat(values) ?? values;
  }
  return merged;
}

/** A map of an event may be `null`. In an event written by hand, its values may be `null` too. */
function withoutNulls<T>(
  map: Record<string, T | null | undefined> | null | undefined,
): Record<string, T> {
  const entries = Object.entries(map ?? {});
  const present = entries.filter((entry): entry is [string, T] => entry[1] != null);
  // The maps that AWS sends contain no null and need no copy.
  return present.length === entries.length && map
    ? (map as Record<string, T>)
    : Object.fromEntries(present);
}

/** Copies a map. Without a prototype, `__proto__` is an ordinary name. */
function copyMap<T>(map: Record<string, T>): Record<string, T> {
  return Object.assign(Object.create(null), map);
}
