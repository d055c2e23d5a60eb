import { hash, randomBytes } from 'node:crypto';

const secretBytes = 32;
const checksumLength = 6;

/** `ps_<stage>_<secret><checksum>`: 256 random bits and 36 bits of SHA-256, both as base64url. */
const apiKeyForm = /^(ps_([A-Za-z0-9-]+)_[\w-]{43})([\w-]{6})$/;

/**
 * Makes a new API key for a stage.
 *
 * The prefix lets secret scanners find a leaked key. The checksum lets the service refuse a
 * mistyped or random one without a database read; it protects nothing else.
 */
export function createApiKey(stage: string): string {
  const unchecked = `ps_${stage}_${randomBytes(secretBytes).toString('base64url')}`;
  return `${unchecked}${checksum(unchecked)}`;
}

/** Tells whether a text has the form of one of the stage's API keys; the database knows the rest. */
export function isApiKeyOf(stage: string, text: string): boolean {
  const [, unchecked, keyStage, sum] = apiKeyForm.exec(text) ?? [];
  return unchecked !== undefined && keyStage === stage && sum === checksum(unchecked);
}

/** What is stored of a key, in hex. One round of SHA-256 is enough for 256 random bits. */
export function apiKeyDigest(apiKey: string): string {
  return hash('sha256', apiKey, 'hex');
}

/** The public name of a key, for logs, lists and revocation: 48 bits of its digest. */
export function apiKeyId(digest: string): string {
  return `key_${digest.slice(0, 12)}`;
}

function checksum(unchecked: string): string {
  return hash('sha256', unchecked, 'base64url').slice(0, checksumLength);
}
