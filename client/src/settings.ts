import type { PetStoreError } from './PetStoreError.ts';
import type { CallOptions, DeprecationNotice, OperationName } from './types.ts';

/** The version in `package.json`, which a browser cannot import. A test compares them. */
const version = '1.1.0';

/** A request that is about to be sent. */
export type RequestNotice = {
  operation: OperationName;
  method: 'GET' | 'POST';
  address: string;
  /** 1 for the first attempt. */
  attempt: number;
};

/** An attempt that failed, and the wait before the next. */
export type RetryNotice = {
  operation: OperationName;
  /** The attempt that failed, from 1 on. */
  attempt: number;
  delayMs: number;
  error: PetStoreError;
};

export type PetStoreClientOptions = {
  /** Ends in `/v1`. `npm start` and the deployed stack print it. */
  baseAddress: string;
  /** May come from a variable that is not set; the client then throws. */
  apiKey: string | undefined;
  /** Replaces the runtime's `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Time limit of one attempt, 15,000 by default. */
  timeoutMs?: number | undefined;
  /** The maximum number of attempts, 3 by default. 1 disables retries. */
  maxAttempts?: number | undefined;
  // Errors that a hook throws are uncaught and do not fail the call.
  /** Called before each attempt. */
  onRequest?: ((notice: RequestNotice) => void) | undefined;
  /** Called before the wait for another attempt. */
  onRetry?: ((notice: RetryNotice) => void) | undefined;
  /** Called when a response announces the removal of its operation. */
  onDeprecation?: ((notice: DeprecationNotice) => void) | undefined;
};

export type Settings = ReturnType<typeof readOptions>;

/** The service gives up after 12 s, so its own response comes first. */
const defaultTimeoutMs = 15_000;

/** The longest delay of a timer; a longer one fires at once. */
const maxTimeoutMs = 2 ** 31 - 1;

/** Adds the defaults. Throws a `TypeError`, which never contains the key, for an invalid option. */
export function readOptions(options: PetStoreClientOptions) {
  const { apiKey, onRequest, onRetry, onDeprecation } = options;
  if (apiKey === undefined || apiKey === '') {
    throw new TypeError('apiKey is missing: pass the API key that the operators gave you.');
  }
  // The runtime's own error for an invalid header would contain the key.
  if (!isVisibleAscii(apiKey)) {
    throw new TypeError('apiKey must be a string of visible ASCII characters.');
  }
  return {
    baseAddress: readBaseAddress(options.baseAddress),
    headers: { ...userAgent(), Accept: 'application/json', Authorization: `Bearer ${apiKey}` },
    ...readLimits(options, { timeoutMs: defaultTimeoutMs, maxAttempts: 3 }),
    onRequest,
    onRetry,
    onDeprecation,
    fetch: options.fetch ?? globalThis.fetch,
  };
}

type Limits = { timeoutMs: number; maxAttempts: number };

/** Reads the limits of a client or a call. Throws a `TypeError` for an invalid one. */
export function readLimits(options: CallOptions, defaults: Limits): Limits {
  const { timeoutMs = defaults.timeoutMs, maxAttempts = defaults.maxAttempts } = options;
  if (!isCount(timeoutMs, maxTimeoutMs)) {
    throw new TypeError(`timeoutMs must be a whole number from 1 to ${maxTimeoutMs}.`);
  }
  if (!isCount(maxAttempts, Number.MAX_SAFE_INTEGER)) {
    throw new TypeError('maxAttempts must be a whole number of at least 1.');
  }
  return { timeoutMs, maxAttempts };
}

/** A browser sends its own, and lets a page of another origin set one only if CORS allows it. */
function userAgent(): { 'User-Agent'?: string } {
  const isBrowser = globalThis.navigator?.userAgent?.startsWith('Mozilla/');
  return isBrowser ? {} : { 'User-Agent': `petstore-client/${version}` };
}

function readBaseAddress(baseAddress: string): string {
  const url = URL.canParse(baseAddress) ? new URL(baseAddress) : undefined;
  const address = url && `${url.origin}${url.pathname}`;
  // Different if there is a user, password, query or fragment, which would be dropped silently.
  if (!address || !/^https?:$/.test(url.protocol) || url.href !== address) {
    throw new TypeError(
      'baseAddress must be an http or https address with only a scheme, host and path.',
    );
  }
  return address.replace(/\/$/, '');
}

/** Whether a text can be a header value without encoding. */
export function isVisibleAscii(text: unknown): text is string {
  return typeof text === 'string' && /^[!-~]+$/.test(text);
}

function isCount(value: number, max: number): boolean {
  return Number.isSafeInteger(value) && 1 <= value && value <= max;
}
