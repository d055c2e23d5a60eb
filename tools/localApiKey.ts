import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { apiKeyDigest, isApiKeyOf, isApiKeyValid } from '../lib/apiKeys/apiKey.ts';
import { localStage } from '../local/localStage.ts';
import { openPrivateFolder, writePrivateFile } from '../local/privateFiles.ts';
import { issueApiKey, listApiKeys, storeApiKey } from './apiKeyRegistry.ts';

const registry = { stage: localStage.name, tableName: localStage.tableNames.apiKeys };

/**
 * Returns a valid API key for the local stage.
 *
 * A file in the folder keeps the key, so the same key works after a restart, even with a database in
 * memory. A revoked key is replaced. With `isKept: false`, the folder need not be writable.
 */
export async function localApiKey(folder: string, { isKept = true } = {}): Promise<string> {
  const file = join(folder, 'api-key');
  try {
    await openPrivateFolder(folder);
    const apiKey = (await findValidKey(file)) ?? (await issue());
    // The file is always written again. Other users may be able to read a file that was copied here.
    await writePrivateFile(file, apiKey);
    return apiKey;
  } catch (error) {
    if (isKept) throw error;
    return issue();
  }
}

const issue = () => issueApiKey(registry, { name: 'npm start' });

async function findValidKey(file: string): Promise<string | undefined> {
  const kept = await readFile(file, 'utf8').catch(() => '');
  if (!isApiKeyOf(localStage.name, kept)) return undefined;
  const digest = apiKeyDigest(kept);
  const record = (await listApiKeys(registry)).find((each) => each.digest === digest);
  if (!record) await storeApiKey(registry, kept, { name: 'npm start' });
  return !record || isApiKeyValid(record) ? kept : undefined;
}
