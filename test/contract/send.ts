import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import { checkResponse, errorStatuses, type HttpResponse, parseJson } from './checkResponse.ts';
import { pathOf, service } from './serviceUnderTest.ts';

export type Received = HttpResponse & {
  /** Each integer is a `bigint`. Undefined if the text is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape
  json: any;
};

type Sent = {
  headers?: Record<string, string>;
  /** A string is sent as application/json unless `headers` say otherwise. Bytes are sent without a type. */
  body?: string | Uint8Array<ArrayBuffer>;
  /** Replaces the header with the API key. Empty: no such header. */
  authorization?: string;
};

/** The service gives up after 12 s. The largest body of the tests takes as long again to send. */
const responseTimeoutMs = 60_000;

/** The longest time that a deployment waits for all tests, even if each response is slow. */
const runTimeoutMs = 300_000;
const runTimeout = AbortSignal.timeout(
  Math.max(0, service.startedAtMs + runTimeoutMs - Date.now()),
);

/** A rate limit is not a fault of the service, so a request waits and is sent again, within these limits. */
const maxAttempts = 5;
const maxRetryAfterSeconds = 10;

const seenRequestIds = new Set<string>();

/** Sends a request below the base address. Fails if the response is a 503, or breaks a promise of every response. */
export async function send(method: string, path: string, sent: Sent = {}): Promise<Received> {
  const received = await sendUnchecked(method, path, sent);
  checkResponse(received, service.mode !== 'local');
  checkLinksAndId(received);
  if (received.status === 503) {
    // It breaks no promise, but leaves the test undecided.
    throw new Error(`The database failed: 503 to ${method} ${path}`);
  }
  return received;
}

/** Sends a request whose response may be a gateway's own, which has no Error. */
export async function sendUnchecked(
  method: string,
  path: string,
  sent: Sent = {},
): Promise<Received> {
  for (let attempt = 1; ; attempt += 1) {
    const received = await exchange(method, path, sent);
    if (received.status !== 429 || attempt === maxAttempts) return received;
    const retryAfterSeconds = Number(received.headers.get('Retry-After') ?? 1);
    await wait(Math.min(retryAfterSeconds, maxRetryAfterSeconds) * 1000);
  }
}

/** Each link leads to the same service, and no other response has this X-Request-Id. */
function checkLinksAndId({ headers }: Received): void {
  const links = (headers.get('Link') ?? '').matchAll(/<([^>]*)>/g);
  for (const [, link = ''] of links) pathOf(link);
  if (headers.has('Location')) pathOf(headers.get('Location') ?? '');
  const requestId = headers.get('X-Request-Id') ?? '';
  expect(seenRequestIds, 'the X-Request-Ids of earlier responses').not.toContain(requestId);
  seenRequestIds.add(requestId);
}

export function expectStatus({ method, path, status, text }: Received, expected: number): void {
  expect(status, `${method} ${path.slice(0, 80)}: ${JSON.stringify(text.slice(0, 300))}`).toBe(
    expected,
  );
}

/** Expects an error by its status and code, with a message that matches every part. */
export function expectError(received: Received, code: string, ...messageParts: RegExp[]): void {
  expectStatus(received, errorStatuses[code] ?? expect.unreachable(code));
  if (received.method === 'HEAD') return;
  expect(received.json.code).toBe(code);
  for (const part of messageParts) expect(received.json.message).toMatch(part);
}

async function exchange(method: string, path: string, sent: Sent): Promise<Received> {
  const { headers, body, authorization = `Bearer ${service.apiKey}` } = sent;
  const response = await fetch(`${service.baseAddress}${path}`, {
    method,
    headers: {
      'User-Agent': 'petstore-smoke',
      ...(authorization && { Authorization: authorization }),
      ...(typeof body === 'string' && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body }),
    // The service redirects nowhere, and the key must not go to another host.
    redirect: 'manual',
    signal: AbortSignal.any([AbortSignal.timeout(responseTimeoutMs), runTimeout]),
  });
  const text = await response.text();
  // The last character is left out, because some tests mistype it.
  const secret = service.apiKey.slice(0, -1);
  if (`${text}${[...response.headers]}`.includes(secret)) {
    throw new Error(`The response to ${method} ${path} repeats the API key.`);
  }
  return {
    method,
    path,
    status: response.status,
    headers: response.headers,
    text,
    json: parseJson(text),
  };
}
