import type { APIGatewayProxyEvent, APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { type Partition, releaseCheckPartition } from '../dynamodb/tables.ts';

/** An event of a REST API or an HTTP API, or one that was written by hand and lacks parts. */
export type RawEvent = Gaps<
  Omit<APIGatewayProxyEvent, 'requestContext'> &
    Pick<APIGatewayProxyEventV2, 'rawPath' | 'rawQueryString'> & {
      requestContext: Gaps<{
        requestId: string;
        domainName: string;
        stage: string;
        path: string;
        http: Gaps<{ path: string }>;
      }>;
      /**
       * Whether the release hook sent the event. A client cannot: API Gateway makes the members of an
       * event, and puts what a client sends into `headers`, `body` and so on.
       */
      isReleaseCheck: boolean;
    }
>;

type Gaps<T> = { [Key in keyof T]?: T[Key] | null | undefined };

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
  /** The pets that the request works on. Requests of the release hook have a partition of their own. */
  partition: Partition;
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
    headers: withoutGaps(event.headers),
    multiValueHeaders: mergedByLowerCase(withoutGaps(event.multiValueHeaders)),
    pathParameters: withoutGaps(event.pathParameters),
    query: queryOf(event),
    body: event.body ?? null,
    isBase64Encoded: event.isBase64Encoded ?? false,
    partition: event.isReleaseCheck === true ? releaseCheckPartition : '',
  };
}

/** The path of an HTTP API starts with the stage, unless that is `$default`. */
function withoutStage(rawPath: string, stage: string): string {
  const prefix = `/${stage}`;
  return stage && rawPath.startsWith(`${prefix}/`) ? rawPath.slice(prefix.length) : rawPath;
}

function queryOf(event: RawEvent): ApiEvent['query'] {
  const everyValue = withoutGaps(event.multiValueQueryStringParameters);
  const query: ApiEvent['query'] = copied(withoutGaps(event.queryStringParameters));
  for (const [name, values] of Object.entries({ ...everyValue, ...rawQueryOf(event) })) {
    const [value] = values;
    query[name] = value !== undefined && values.length === 1 ? value : values;
  }
  return query;
}

/** Everywhere else an HTTP API joins repeated parameters with commas. */
function rawQueryOf({ rawQueryString }: RawEvent): Record<string, string[]> {
  const parameters = new URLSearchParams(rawQueryString ?? '');
  return Object.fromEntries([...parameters.keys()].map((name) => [name, parameters.getAll(name)]));
}

/** A header may arrive in two spellings. The header normaliser would keep only the last one. */
function mergedByLowerCase(lists: Record<string, string[]>): Record<string, string[]> {
  const merged: Record<string, string[]> = copied({});
  for (const [name, values] of Object.entries(lists)) {
    const lowerCaseName = name.toLowerCase();
    merged[lowerCaseName] = merged[lowerCaseName]?.concat(values) ?? values;
  }
  return merged;
}

/** The maps of an event may be `null`. In an event written by hand, their values may be too. */
function withoutGaps<T>(
  map: Record<string, T | null | undefined> | null | undefined,
): Record<string, T> {
  const entries = Object.entries(map ?? {});
  const filled = entries.filter((entry): entry is [string, T] => entry[1] != null);
  // The maps that AWS sends have no gaps and need no copy.
  return filled.length === entries.length && map
    ? (map as Record<string, T>)
    : Object.fromEntries(filled);
}

/** Copies a map. Without a prototype, `__proto__` is an ordinary name. */
function copied<T>(map: Record<string, T>): Record<string, T> {
  return Object.assign(Object.create(null), map);
}
