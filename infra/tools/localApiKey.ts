import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { apiKeyDigest, createApiKey, isApiKeyOf, isApiKeyValid } from '../../lib/apiKeys/apiKey.ts';
import { createFolder } from '../local/createFolder.ts';
import { localStage } from '../local/localStage.ts';
import { listApiKeys, storeApiKey } from './apiKeyRegistry.ts';

const registry = { stage: localStage.name, tableName: localStage.tableNames.apiKeys };

/**
 * Returns a valid API key for the local stage.
 *
 * The first start stores it in the folder, readable by its owner only. So the same key works after a
 * restart, also if the database is in memory. A key that was revoked is replaced.
 */
export async function localApiKey(folder: string): Promise<string> {
  const file = join(folder, 'api-key');
  const kept = await readFile(file, 'utf8').catch(() => '');
  if (isApiKeyOf(localStage.name, kept)) {
    const digest = apiKeyDigest(kept);
    const record = (await listApiKeys(registry)).find((each) => each.digest === digest);
    if (!record) await storeApiKey(registry, kept, { name: 'npm start' });
    if (!record || isApiKeyValid(record)) return kept;
  }
  const apiKey = createApiKey(localStage.name);
  await storeApiKey(registry, apiKey, { name: 'npm start' });
  await createFolder(folder);
  await writeFile(file, apiKey, { mode: 0o600 });
  return apiKey;
}
