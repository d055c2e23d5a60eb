import { assertExactJson, exactDigits, stringifyBigintJson } from './bigintJson.ts';
import { operations, type PetStoreClient } from './generated.ts';
import { PetStoreError } from './PetStoreError.ts';
import {
  defaultLimits,
  isVisibleAscii,
  readApiKey,
  readBaseAddress,
  readLimits,
} from './readOptions.ts';
import { sendRequest } from './sendRequest.ts';
import type {
  CreationOptions,
  PageQuery,
  PetStoreClientOptions,
  PetStoreResponse,
  ResponsePromise,
} from './types.ts';

const maxIdempotencyKeyLength = 255;

/** The largest page, which needs the fewest requests. */
const maxPageSize = 100;

/** A row of the table in generated.ts. */
type Operation = {
  method: string;
  path: string;
  status: number;
  hasBody?: boolean;
  hasQuery?: boolean;
  takesKey?: boolean;
  /** The member of a page that has the items of a list, and the method that walks all pages. */
  items?: string;
  walk?: string;
  /** The type of each member that every response has, or every item of a list. Absent without a body. */
  members?: Record<string, string>;
};

/** What a method was called with: ids of the path, a body, a query and options, in this order. */
type Call = { ids: unknown[]; body: unknown; query: PageQuery; options: CreationOptions };

type Page = { next?: PageQuery } & Record<string, unknown>;

/**
 * Creates a client for the service at one base address, with one API key.
 *
 * Throws a `TypeError` for invalid options, and an `Error` on a runtime that would round int64.
 */
export function createPetStoreClient(options: PetStoreClientOptions): PetStoreClient {
  assertExactJson();
  if (!options) throw new TypeError('The options are missing: pass { baseAddress, apiKey }.');
  const baseAddress = readBaseAddress(options);
  const authorization = `Bearer ${readApiKey(options)}`;
  const limits = readLimits(options, defaultLimits);

  async function send(
    operation: Operation,
    { ids, body, query, options: callOptions }: Call,
  ): Promise<PetStoreResponse<unknown> & { isReplayed?: boolean }> {
    const { method, path, status, hasBody, takesKey, items } = operation;
    const { signal, idempotencyKey, ...callLimits } = callOptions;
    const response = await sendRequest({
      method,
      address: `${baseAddress}${pathText(path, ids)}${queryText(query)}`,
      headers: {
        Accept: 'application/json',
        Authorization: authorization,
        ...(takesKey && { 'Idempotency-Key': readIdempotencyKey(idempotencyKey) }),
        ...(hasBody && { 'Content-Type': 'application/json' }),
      },
      ...(hasBody && { body: stringifyBigintJson(body) }),
      successStatus: status,
      isExpected: (data) => isExpected(operation, data),
      // Read at each call, because a test or a tracer may replace the global one later.
      fetch: options.fetch ?? globalThis.fetch,
      signal,
      ...readLimits(callLimits, limits),
    });
    if (items) return { ...response, data: pageOf(items, query, response) };
    if (!takesKey) return response;
    return { ...response, isReplayed: response.headers.get('Idempotent-Replayed') === 'true' };
  }

  async function* walkPages(operation: Operation, call: Call) {
    let next: PageQuery | undefined = { ...call.query, limit: call.query.limit ?? maxPageSize };
    const cursors = new Set([call.query.cursor]);
    while (next) {
      const { data, ...response } = await send(operation, { ...call, query: next });
      const page = data as Page;
      yield* page[operation.items ?? ''] as unknown[];
      next = page.next;
      if (next && cursors.has(next.cursor)) {
        const message = 'The list does not end: the next page is one that was read before.';
        throw new PetStoreError('unexpected_response', message, response);
      }
      cursors.add(next?.cursor);
    }
  }

  const client: Record<string, (...sent: unknown[]) => unknown> = {};
  for (const [name, operation] of Object.entries<Operation>(operations)) {
    client[name] = (...sent) => dataOf(send(operation, readCall(operation, sent)));
    if (!operation.walk) continue;
    client[operation.walk] = (...sent) => walkPages(operation, readCall(operation, sent));
  }
  return client as PetStoreClient;
}

/** Copies the query, because the caller may change its object before the next page is requested. */
function readCall({ path, hasBody, hasQuery }: Operation, sent: unknown[]): Call {
  const rest = [...sent];
  return {
    ids: rest.splice(0, path.split('{').length - 1),
    body: hasBody && rest.shift(),
    query: { ...(hasQuery && (rest.shift() as PageQuery)) },
    options: (rest.shift() as CreationOptions | undefined) ?? {},
  };
}

/** Writes the ids into a path. */
function pathText(path: string, ids: unknown[]): string {
  const rest = [...ids];
  return path.replaceAll(/\{(\w+)\}/g, (_, name) => exactDigits(name, rest.shift()));
}

function readIdempotencyKey(key = randomKey()): string {
  if (isVisibleAscii(key) && key.length <= maxIdempotencyKeyLength) return key;
  throw new TypeError(
    `idempotencyKey must be 1 to ${maxIdempotencyKeyLength} visible ASCII characters.`,
  );
}

/** Returns 128 random bits in hex. `crypto.randomUUID` does not exist on pages with plain http. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function queryText(query: PageQuery): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    parameters.set(name, Number.isInteger(value) ? exactDigits(name, value) : String(value));
  }
  return parameters.size === 0 ? '' : `?${parameters}`;
}

function pageOf(items: string, query: PageQuery, { data, headers }: PetStoreResponse<unknown>) {
  const cursor = readNextCursor(headers);
  return { [items]: data, ...(cursor !== undefined && { next: { ...query, cursor } }) };
}

/**
 * Reads the cursor from the link to the next page, in the form in which the service sends it.
 *
 * Only the cursor is used, so no response can send the API key to another server.
 */
function readNextCursor(headers: Headers): string | undefined {
  const [, address = ''] = /<([^<>]*)>; rel="next"/.exec(headers.get('Link') ?? '') ?? [];
  return new URLSearchParams(address.split('?')[1]).get('cursor') ?? undefined;
}

/** Returns a promise of the data. Its `withResponse` returns the whole response. */
function dataOf<Response extends PetStoreResponse<unknown>>(
  call: Promise<Response>,
): ResponsePromise<Response['data'], Response> {
  const data = call.then((response): Response['data'] => response.data);
  return Object.assign(data, {
    withResponse() {
      // The caller uses the other promise, which rejects too. So this one must not count as unhandled.
      data.catch(() => {});
      return call;
    },
  });
}

/** Accepts further members, which a newer service may add. */
function isExpected({ items, members }: Operation, data: unknown): boolean {
  if (!members) return data === undefined;
  if (!items) return hasMembers(data, members);
  return Array.isArray(data) && data.every((item) => hasMembers(item, members));
}

function hasMembers(value: unknown, types: Record<string, string>): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const members = value as Record<string, unknown>;
  return Object.entries(types).every(([name, type]) => {
    const member = members[name];
    return type === 'array' ? Array.isArray(member) : typeof member === type && member !== null;
  });
}
