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
  // An HTTP API joins repeated parameters by commas everywhere but here.
  const parameters = new URLSearchParams(event.rawQueryString ?? '');
  const everyValue = {
    ...withoutGaps(event.multiValueQueryStringParameters),
    ...Object.fromEntries([...parameters.keys()].map((name) => [name, parameters.getAll(name)])),
  };
  const onlyOrAll = Object.entries(everyValue).map(([name, values]) => {
    const [value, ...others] = values;
    return [name, value !== undefined && others.length === 0 ? value : values] as const;
  });
  return { ...withoutGaps(event.queryStringParameters), ...Object.fromEntries(onlyOrAll) };
}

/** One header may come in two spellings, and the header normaliser would drop all but the last. */
function mergedByLowerCase(lists: Record<string, string[]>): Record<string, string[]> {
  const groups = Map.groupBy(Object.entries(lists), ([name]) => name.toLowerCase());
  return Object.fromEntries(
    [...groups].map(([name, group]) => [name, group.flatMap(([, values]) => values)]),
  );
}

/** The maps of an event may be `null`, and so may their values where it was written by hand. */
function withoutGaps<T>(
  map: Record<string, T | null | undefined> | null | undefined,
): Record<string, T> {
  const entries = Object.entries(map ?? {});
  return Object.fromEntries(entries.filter((entry): entry is [string, T] => entry[1] != null));
}
