import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { handler as listPets } from '../../functions/listPets.ts';
import { issueApiKey, revokeApiKey } from '../../infra/tools/apiKeyRegistry.ts';
import { apiKeyDigest, apiKeyId, createApiKey } from '../../lib/apiKeys/apiKey.ts';
import { config } from '../../lib/config.ts';
import { nowEpochSeconds } from '../../lib/nowEpochSeconds.ts';
import { call, registry } from '../helpers/api.ts';
import { interceptDatabase, storedItems } from '../helpers/database.ts';
import { rex } from '../helpers/samplePets.ts';

const issue = (expiresAtEpochSeconds?: bigint) =>
  issueApiKey(registry, { name: 'test', expiresAtEpochSeconds });

async function revokedKey(): Promise<string> {
  const key = await issue();
  await revokeApiKey(registry, apiKeyId(apiKeyDigest(key)));
  return key;
}

const list = (key: string) => call(listPets, { headers: { Authorization: `Bearer ${key}` } });

/** Well-formed keys by their state. */
const keys = {
  'a valid key': await issue(),
  'a key that was never issued': createApiKey(config.stage),
  'a revoked key': await revokedKey(),
  'an expired key': await issue(nowEpochSeconds() - 1n),
};
const refusedKeys = {
  ...keys,
  // Even if both stages share one table by mistake.
  'a key of another stage': await issueApiKey(
    { ...registry, stage: 'v1-production' },
    { name: 'test' },
  ),
};

describe('key guessing', () => {
  it('costs no database read, however close the form of the guess is', async () => {
    const reads = interceptDatabase(({ pass }) => pass());
    const base64url = fc.stringMatching(/^[\w-]{49}$/);
    const base62 = fc.stringMatching(/^[A-Za-z0-9]{49}$/);
    const guess = fc.oneof(
      fc.oneof(base62, base64url).map((secret) => `ps_${config.stage}_${secret}`),
      fc.constant(createApiKey('other')),
      fc.string({ minLength: 1 }).filter((text) => /^[\x21-\x7e]+$/.test(text)),
    );

    await fc.assert(
      fc.asyncProperty(guess, async (key) => {
        expect((await list(key)).status).toBe(401);
      }),
      { numRuns: 100 },
    );

    expect(reads).toEqual([]);
  });

  it.each(Object.entries(keys))(
    'takes one read by its digest, so its time tells nothing, for %s',
    async (_case, key) => {
      const reads: unknown[] = [];
      interceptDatabase(({ action, input, pass }) => {
        if (input.TableName === config.apiKeysTableName) reads.push({ action, ...input });
        return pass();
      });

      await list(key);

      // A key is found by the hash of the whole key, never compared by characters. So a guess that is
      // partly right takes the same read and the same time.
      expect(reads).toEqual([
        {
          action: 'GetItem',
          TableName: config.apiKeysTableName,
          Key: { digest: { S: apiKeyDigest(key) } },
          ConsistentRead: true,
        },
      ]);
    },
  );

  it('gets the same response for a key never issued, revoked, expired or of another stage, and writes nothing', async () => {
    const { 'a valid key': _, ...refused } = refusedKeys;
    const responses = await Promise.all(
      Object.values(refused).map((key) =>
        call(createPet, {
          body: rex,
          idempotencyKey: 'intruder',
          headers: { Authorization: `Bearer ${key}` },
        }),
      ),
    );

    expect(responses.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
    expect(new Set(responses.map((response) => JSON.stringify(response))).size).toBe(1);
    expect(await storedItems()).toEqual([]);
  });
});
