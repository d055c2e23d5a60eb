import * as z from 'zod/mini';

/** What is stored of an API key, in whole seconds since 1970. */
export const ApiKeyRecord = z.object({
  digest: z.string(),
  /** Whom the key was issued to. */
  name: z.string(),
  createdAtEpochSeconds: z.bigint(),
  expiresAtEpochSeconds: z.optional(z.bigint()),
  revokedAtEpochSeconds: z.optional(z.bigint()),
});
export type ApiKeyRecord = z.infer<typeof ApiKeyRecord>;

/** Tells whether a key is neither revoked nor expired. */
export function isLive(record: ApiKeyRecord, nowMs = Date.now()): boolean {
  const { revokedAtEpochSeconds, expiresAtEpochSeconds } = record;
  if (revokedAtEpochSeconds !== undefined) return false;
  return expiresAtEpochSeconds === undefined || nowMs < Number(expiresAtEpochSeconds) * 1000;
}
