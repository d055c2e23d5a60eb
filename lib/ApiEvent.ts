import type { APIGatewayProxyEvent, APIGatewayProxyEventV2, Context } from 'aws-lambda';

/** An event as it may arrive: from a REST API, from an HTTP API, or written by hand with gaps. */
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
    }
>;

type Gaps<T> = { [Key in keyof T]?: T[Key] | null | undefined };

/** What the middleware stack reads of a request, spelt one way for both event formats. */
export type ApiEvent = {
  requestId: string;
  /** Below the domain and without the stage: `/v1/pets`. Empty where the event names none. */
  path: string;
  /** As the client wrote it, with the stage if the address has one: `/v1-staging/v1/pets`. */
  publicPath?: string | undefined;
  domainName?: string | undefined;
  /** Names are as sent until the header normaliser ran, and in lower case from then on. */
  headers: Record<string, string>;
  /** By names in lower case. */
  multiValueHeaders: Record<string, string[]>;
  pathParameters: Record<string, string>;
  /** A parameter sent once is a string, one sent more often an array. */
  query: Record<string, string | string[]>;
  /** The text as sent; once the body was parsed its value; `null` where there is none. */
  body: unknown;
  isBase64Encoded: boolean;
  /** The public id of the caller's API key, once the caller is authenticated. */
  apiKeyId?: string;
  /** What the operation reads of the request, once it is validated. */
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
  };
}

/** An HTTP API keeps the stage in its path, unless it is the `$default` one. */
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

/** An HTTP API joins repeated parameters by commas everywhere but here. */
function rawQueryOf({ rawQueryString }: RawEvent): Record<string, string[]> {
  if (!rawQueryString) return {};
  const parameters = new URLSearchParams(rawQueryString);
  return Object.fromEntries([...parameters.keys()].map((name) => [name, parameters.getAll(name)]));
}

/** One header may come in two spellings, and the header normaliser would drop all but the last. */
function mergedByLowerCase(lists: Record<string, string[]>): Record<string, string[]> {
  const merged: Record<string, string[]> = copied({});
  for (const [name, values] of Object.entries(lists)) {
    const lowerCaseName = name.toLowerCase();
    merged[lowerCaseName] = merged[lowerCaseName]?.concat(values) ?? values;
  }
  return merged;
}

/** The maps of an event may be `null`, and so may their values where it was written by hand. */
function withoutGaps<T>(
  map: Record<string, T | null | undefined> | null | undefined,
): Record<string, T> {
  const entries = Object.entries(map ?? {});
  const filled = entries.filter((entry): entry is [string, T] => entry[1] != null);
  // Of what AWS sends no map has a gap, and to copy each of them takes its time.
  return filled.length === entries.length && map
    ? (map as Record<string, T>)
    : Object.fromEntries(filled);
}

/** A copy to add to: without a prototype `__proto__` is a name like any other. */
function copied<T>(map: Record<string, T>): Record<string, T> {
  return Object.assign(Object.create(null), map);
}
