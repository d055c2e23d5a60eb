import type { Limits, PetStoreClientOptions } from './types.ts';

/** The service gives up after 12 s, so its own response comes before the time-out. */
const defaultLimits = { timeoutMs: 15_000, maxAttempts: 3 };

/** The longest delay of a timer. A longer delay would end at once. */
const maxTimeoutMs = 2 ** 31 - 1;

export function readBaseAddress({ baseAddress }: PetStoreClientOptions): string {
  if (!baseAddress) {
    throw new TypeError('baseAddress is missing: pass the address of the service with its /v1.');
  }
  // A user, password, query or fragment would be lost.
  if (!URL.canParse(baseAddress) || !/^https?:\/\/[^@?#]+\/v1\/?$/.test(baseAddress)) {
    throw new TypeError(
      'baseAddress must be an http or https address that ends in /v1, such as http://localhost:3000/v1.',
    );
  }
  return baseAddress.replace(/\/$/, '');
}

/** The messages never contain the key. The runtime's own error for an invalid header would contain it. */
export function readApiKey({ apiKey }: PetStoreClientOptions): string {
  if (!apiKey) {
    throw new TypeError('apiKey is missing: pass the API key that the operators gave you.');
  }
  if (!isVisibleAscii(apiKey)) {
    throw new TypeError('apiKey must be a string of visible ASCII characters.');
  }
  return apiKey;
}

export function readLimits({ timeoutMs, maxAttempts }: Limits, defaults = defaultLimits) {
  return {
    timeoutMs: readCount('timeoutMs', timeoutMs ?? defaults.timeoutMs, maxTimeoutMs),
    maxAttempts: readCount('maxAttempts', maxAttempts ?? defaults.maxAttempts),
  };
}

function readCount(name: string, value: number, max = Number.MAX_SAFE_INTEGER): number {
  if (Number.isSafeInteger(value) && 1 <= value && value <= max) return value;
  throw new TypeError(`${name} must be a whole number from 1 to ${max}.`);
}

export function readIdempotencyKey(key = randomKey()): string {
  if (isVisibleAscii(key) && key.length <= 255) return key;
  throw new TypeError('idempotencyKey must be 1 to 255 visible ASCII characters.');
}

/** Returns 128 random bits in hex. `crypto.randomUUID` does not exist on pages with plain http. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Whether a text can be a header value without encoding. */
function isVisibleAscii(text: unknown): text is string {
  return typeof text === 'string' && /^[!-~]+$/.test(text);
}
