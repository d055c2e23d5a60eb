import { hash, randomInt } from 'node:crypto';
import * as z from 'zod/mini';

/** A double click selects a whole key, because these characters and `_` form one word. */
const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The fewest characters of base62 for 256 bits. */
const secretLength = 43;
const checksumLength = 6;

/** `ps_<stage>_<secret><checksum>`. The checksum is 36 bits of the SHA-256 of the text before it. */
const apiKeyPattern = /^(ps_(\w{1,128})_[A-Za-z\d]{43})([A-Za-z\d]{6})$/;

/**
 * Creates a new API key for a stage.
 *
 * Secret scanners find it by its prefix. The checksum only saves the database read of a mistyped key.
 */
export function createApiKey(stage: string): string {
  const secret = Array.from({ length: secretLength }, () => base62[randomInt(base62.length)]);
  const unchecked = `ps_${stageInKey(stage)}_${secret.join('')}`;
  const checksum = checksumOf(unchecked);
  // One checksum in six has a `-` or `_`, which no base62 has, so another key is drawn.
  return /[-_]/.test(checksum) ? createApiKey(stage) : `${unchecked}${checksum}`;
}

/** Returns whether a text has the form of an API key of the stage, which may be unknown or revoked. */
export function isApiKeyOf(stage: string, text: string): boolean {
  const [, unchecked = '', keyStage, checksum] = apiKeyPattern.exec(text) ?? [];
  return keyStage === stageInKey(stage) && checksum === checksumOf(unchecked);
}

function stageInKey(stage: string): string {
  return stage.replaceAll('-', '_');
}

/** Returns the digest that is stored instead of a key, in hex. One round is enough for 256 random bits. */
export function apiKeyDigest(apiKey: string): string {
  return hash('sha256', apiKey, 'hex');
}

/** Returns the public id of a key, for logs, lists and revocation: 48 bits of its digest. */
export function apiKeyId(digest: string): string {
  return `key_${digest.slice(0, 12)}`;
}

function checksumOf(unchecked: string): string {
  return hash('sha256', unchecked, 'base64url').slice(0, checksumLength);
}

/** The stored record of an API key. Times are whole seconds since 1970. */
export const ApiKeyRecord = z.object({
  digest: z.string(),
  /** The client that the key was issued to. */
  name: z.string(),
  createdAtEpochSeconds: z.bigint(),
  expiresAtEpochSeconds: z.optional(z.bigint()),
  revokedAtEpochSeconds: z.optional(z.bigint()),
  /** Without it, the key may do everything. */
  readOnly: z.optional(z.boolean()),
});
export type ApiKeyRecord = z.infer<typeof ApiKeyRecord>;

/** Returns whether a key is neither revoked nor expired. */
export function isApiKeyValid(record: ApiKeyRecord): boolean {
  const { revokedAtEpochSeconds, expiresAtEpochSeconds } = record;
  if (revokedAtEpochSeconds !== undefined) return false;
  return expiresAtEpochSeconds === undefined || Date.now() < Number(expiresAtEpochSeconds) * 1000;
}
