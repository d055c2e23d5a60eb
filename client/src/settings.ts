import type { DeprecationNotice } from './types.ts';

export type PetStoreClientOptions = {
  /** Ends in `/v1`. `npm start` and the deployed stack print it. */
  baseAddress: string;
  apiKey: string;
  /** Replaces the runtime's `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Time limit of one attempt, 15,000 by default. */
  timeoutMs?: number | undefined;
  /** How often a request is sent at most, 3 by default. 1 disables retries. */
  maxAttempts?: number | undefined;
  /** Called when a response announces the removal of its operation. Errors it throws are uncaught. */
  onDeprecation?: ((notice: DeprecationNotice) => void) | undefined;
};

export type Settings = ReturnType<typeof readOptions>;

/** The service gives up after 12 s, so its own response comes first. */
const defaultTimeoutMs = 15_000;

/** The longest delay of a timer; a longer one fires at once. */
const maxTimeoutMs = 2 ** 31 - 1;

/** Adds the defaults. Throws a `TypeError`, which never contains the key, for an invalid option. */
export function readOptions(options: PetStoreClientOptions) {
  const { apiKey, timeoutMs = defaultTimeoutMs, maxAttempts = 3, onDeprecation } = options;
  // The runtime's own error for an invalid header would contain the key.
  if (!isVisibleAscii(apiKey)) {
    throw new TypeError('apiKey must be a string of visible ASCII characters.');
  }
  if (!isCount(timeoutMs, maxTimeoutMs)) {
    throw new TypeError(`timeoutMs must be a whole number from 1 to ${maxTimeoutMs}.`);
  }
  if (!isCount(maxAttempts, Number.MAX_SAFE_INTEGER)) {
    throw new TypeError('maxAttempts must be a whole number of at least 1.');
  }
  return {
    baseAddress: readBaseAddress(options.baseAddress),
    apiKey,
    timeoutMs,
    maxAttempts,
    onDeprecation,
    fetch: options.fetch ?? globalThis.fetch,
  };
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
