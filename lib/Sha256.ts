import { createHash, createHmac, createSecretKey, type Hash, type Hmac } from 'node:crypto';

type Secret = string | ArrayBuffer | ArrayBufferView;

/**
 * What the SDK signs requests with: SHA-256, or its HMAC where there is a secret.
 *
 * The SDK's own gives Node.js the secret as bytes. Node.js then asks them twice whether they are a
 * key, and each time throws and catches an error with its stack. Of a key object it asks nothing.
 */
export class Sha256 {
  readonly #newHash: () => Hash | Hmac;
  #hash: Hash | Hmac;

  constructor(secret?: Secret) {
    this.#newHash = secret === undefined ? () => createHash('sha256') : hmacOf(secret);
    this.#hash = this.#newHash();
  }

  update(data: Uint8Array): void {
    this.#hash.update(data);
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {
    this.#hash = this.#newHash();
  }
}

function hmacOf(secret: Secret): () => Hmac {
  // Its types leave out that it takes a text as UTF-8.
  const key = createSecretKey(secret as NodeJS.ArrayBufferView);
  return () => createHmac('sha256', key);
}
