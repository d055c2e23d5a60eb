import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { apiKeyDigest, isApiKeyOf, isApiKeyValid } from '../lib/apiKeys/apiKey.ts';
import { type ApiKeyRegistry, issueApiKey, listApiKeys, storeApiKey } from './apiKeyRegistry.ts';
import { openPrivateFolder, writePrivateFile } from './privateFiles.ts';

const name = 'npm start';

/**
 * Returns a valid API key for the local stage.
 *
 * A file in the folder keeps the key, so the same key works after a restart. A revoked key is replaced.
 */
export async function localApiKey(registry: ApiKeyRegistry, folder: string): Promise<string> {
  const file = join(folder, 'api-key');
  await openPrivateFolder(folder);
  const apiKey = (await findValidKey(registry, file)) ?? (await issueApiKey(registry, { name }));
  // The file is always written again. Other users may be able to read a file that was copied here.
  await writePrivateFile(file, apiKey);
  return apiKey;
}

async function findValidKey(registry: ApiKeyRegistry, file: string): Promise<string | undefined> {
  const kept = await readFile(file, 'utf8').catch(() => '');
  if (!isApiKeyOf(registry.stage, kept)) return undefined;
  const digest = apiKeyDigest(kept);
  const record = (await listApiKeys(registry)).find((each) => each.digest === digest);
  if (!record) await storeApiKey(registry, kept, { name });
  return !record || isApiKeyValid(record) ? kept : undefined;
}
