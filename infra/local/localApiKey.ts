import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { apiKeyDigest, isApiKeyValid } from '../../lib/apiKeys/apiKey.ts';
import { makeFolder } from '../makeFolder.ts';
import { issueApiKey, listApiKeys } from '../tools/apiKeyRegistry.ts';
import { localStage } from './localStage.ts';

const registry = { stage: localStage.name, tableName: localStage.tableNames.apiKeys };

/**
 * Returns a valid API key for the local stage.
 *
 * The first start issues it and stores it beside the data, readable by its owner only. So the same key
 * works after a restart. In memory each start issues a new one.
 */
export async function localApiKey(folder?: string): Promise<string> {
  if (folder === undefined) return issueApiKey(registry, { name: 'npm start' });

  const file = join(folder, 'api-key');
  const stored = await readFile(file, 'utf8').catch(() => undefined);
  if (stored !== undefined && (await isIssued(stored))) return stored;

  const apiKey = await issueApiKey(registry, { name: 'npm start' });
  await makeFolder(folder);
  await writeFile(file, apiKey, { mode: 0o600 });
  return apiKey;
}

async function isIssued(apiKey: string): Promise<boolean> {
  const digest = apiKeyDigest(apiKey);
  return (await listApiKeys(registry)).some(
    (record) => record.digest === digest && isApiKeyValid(record),
  );
}
