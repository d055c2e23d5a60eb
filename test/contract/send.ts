import { setTimeout as wait } from 'node:timers/promises';
import { service } from './serviceUnderTest.ts';
import { expectUniversalRules } from './universalRules.ts';

export type Received = {
  method: string;
  /** Below the base address. */
  path: string;
  status: number;
  headers: Headers;
  text: string;
  /** Each integer is a `bigint`. Undefined if the text is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape
  json: any;
};

type Sent = {
  headers?: Record<string, string>;
  /** A string is sent as application/json unless `headers` say otherwise, bytes without a type. */
  body?: string | Uint8Array<ArrayBuffer>;
  /** Replaces the header with the API key. Empty: no such header. */
  authorization?: string;
};

/** The service gives up after 12 s, so its own response comes first. */
const responseTimeoutMs = 15_000;

/** However slow each response is, a deployment waits no longer for the verdict. */
const runTimeoutMs = 300_000;
const runTimeout = AbortSignal.timeout(
  Math.max(0, service.startedAtMs + runTimeoutMs - Date.now()),
);

/** A rate limit is not a fault of the service: the request waits for it, within these limits. */
const maxAttempts = 5;
const maxRetryAfterSeconds = 10;

/** Sends a request below the base address. Fails if the response breaks a universal rule. */
export async function send(method: string, path: string, sent: Sent = {}): Promise<Received> {
  for (let attempt = 1; ; attempt += 1) {
    const received = await exchange(method, path, sent);
    if (received.status !== 429 || attempt === maxAttempts) {
      expectUniversalRules(received);
      return received;
    }
    const retryAfterSeconds = Number(received.headers.get('Retry-After') ?? 1);
    await wait(Math.min(retryAfterSeconds, maxRetryAfterSeconds) * 1000);
  }
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
  // A mistyped key differs in its last character only.
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

/** Parses JSON without losing a digit of an integer. */
function parseJson(text: string): unknown {
  const exact = (_key: string, value: unknown, { source }: { source: string }) =>
    typeof value === 'number' && /^-?\d+$/.test(source) ? BigInt(source) : value;
  try {
    return JSON.parse(text, exact as Parameters<typeof JSON.parse>[1]);
  } catch {
    return undefined;
  }
}
