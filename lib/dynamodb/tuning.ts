// Settings that make the SDK faster, through its public options. docs/performance.md has what each one
// gains.

import { createHash, createHmac, createSecretKey, type Hash, type Hmac } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';

/**
 * Returns the settings that the SDK would otherwise look up in `~/.aws`.
 *
 * A Lambda function has no such folder, and looking for it costs milliseconds of each cold start.
 * Outside Lambda the SDK looks them up itself.
 */
export function lambdaSettings({
  AWS_LAMBDA_FUNCTION_NAME,
  AWS_REGION = '',
  AWS_ENDPOINT_URL,
  AWS_ENDPOINT_URL_DYNAMODB: endpoint = AWS_ENDPOINT_URL,
}: NodeJS.ProcessEnv): DynamoDBClientConfig {
  if (!AWS_LAMBDA_FUNCTION_NAME) return {};
  return {
    region: AWS_REGION,
    ...(endpoint && { endpoint }),
    ignoreConfiguredEndpointUrls: true, // except the one above
    accountIdEndpointMode: 'disabled',
    authSchemePreference: [],
    defaultsMode: 'legacy',
    disableClockSkewCorrection: false,
    endpointDiscoveryEnabledProvider: async () => false,
    retryMode: 'standard',
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    userAgentAppId: '',
  };
}

/**
 * Reads a stream to its end.
 *
 * The SDK's own collector loads Node.js's web streams to check the type of the stream, and copies
 * each chunk.
 */
export function collectStream(stream: Readable): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.once('end', () => resolve(Buffer.concat(chunks)));
    stream.once('error', reject);
  });
}

type Secret = string | ArrayBuffer | ArrayBufferView;

/**
 * The hash that the SDK signs requests with: SHA-256, or its HMAC if there is a secret.
 *
 * The SDK's own hash passes the secret to Node.js as bytes. Node.js then throws and catches two
 * errors before it accepts them. A key object avoids that.
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
  // The types omit that it also accepts a string, as UTF-8.
  const key = createSecretKey(secret as NodeJS.ArrayBufferView);
  return () => createHmac('sha256', key);
}
