import type { PetStoreClientOptions } from './types.ts';

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
    throw new TypeError('apiKey must be 1 to 255 visible ASCII characters.');
  }
  return apiKey;
}

/** The range that the timers of a runtime have. Beyond it, Node.js waits for 1 ms. */
const maxTimeoutMs = 2 ** 31 - 1;

export function readTimeoutMs(timeoutMs: number): number {
  if (Number.isInteger(timeoutMs) && timeoutMs >= 1 && timeoutMs <= maxTimeoutMs) return timeoutMs;
  throw new TypeError(`timeoutMs must be an integer from 1 to ${maxTimeoutMs}.`);
}

export function readIdempotencyKey(key = randomKey()): string {
  if (isVisibleAscii(key)) return key;
  throw new TypeError('idempotencyKey must be 1 to 255 visible ASCII characters.');
}

/** Returns 128 random bits in hex. `crypto.randomUUID` does not exist on pages with plain http. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Whether a text can be a header value without encoding. */
function isVisibleAscii(text: string): boolean {
  return /^[!-~]{1,255}$/.test(text);
}
