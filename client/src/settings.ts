import type { DeprecationNotice } from './deprecationNotice.ts';

export type PetStoreClientOptions = {
  /** Ends in `/v1`, as `npm start` and the deployed stack print it. */
  baseAddress: string;
  apiKey: string;
  /** Takes the place of the runtime's `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** How long one attempt may take; 15,000 unless given. */
  timeoutMs?: number | undefined;
  /** How often a request is sent at most; 3 unless given, 1 for no repetition. */
  maxAttempts?: number | undefined;
  /** Is told whenever an answer announces the end of its operation; what it throws is uncaught. */
  onDeprecation?: ((notice: DeprecationNotice) => void) | undefined;
};

export type Settings = ReturnType<typeof readOptions>;

/** The service gives up after 12 s, so its own answer comes first. */
const defaultTimeoutMs = 15_000;

/** The longest delay that timers know; they take a longer one for none. */
const maxTimeoutMs = 2 ** 31 - 1;

/** Completes the options. Throws a `TypeError`, which never repeats the key, for what cannot be used. */
export function readOptions(options: PetStoreClientOptions) {
  const { apiKey, timeoutMs = defaultTimeoutMs, maxAttempts = 3, onDeprecation } = options;
  // What no header can hold would come back in the message of the runtime's own error.
  if (!isVisibleAscii(apiKey)) {
    throw new TypeError('apiKey must be a string of visible ASCII characters.');
  }
  if (!isCount(timeoutMs, maxTimeoutMs)) {
    throw new TypeError(`timeoutMs must be a whole number from 1 to ${maxTimeoutMs}.`);
  }
  if (!isCount(maxAttempts, Number.MAX_SAFE_INTEGER)) {
    throw new TypeError('maxAttempts must be a whole number from 1 on.');
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
  // Equal where there is no user, password, query or fragment, which would be lost without a word.
  if (!address || !/^https?:$/.test(url.protocol) || url.href !== address) {
    throw new TypeError('baseAddress must be an http or https address of scheme, host and path.');
  }
  return address.replace(/\/$/, '');
}

/** Whether a text can be the value of a header as it is. */
export function isVisibleAscii(text: unknown): text is string {
  return typeof text === 'string' && /^[!-~]+$/.test(text);
}

function isCount(value: number, max: number): boolean {
  return Number.isSafeInteger(value) && 1 <= value && value <= max;
}
