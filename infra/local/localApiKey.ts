import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { apiKeyDigest, isLive } from '../../lib/apiKeys/apiKey.ts';
import { issueApiKey, listApiKeys } from '../tools/apiKeyRegistry.ts';
import { localStage } from './localStage.ts';

const registry = { stage: localStage.name, tableName: localStage.tableNames.apiKeys };

/**
 * Returns a working API key for the local stage.
 *
 * It is made on the first start and kept beside the data, readable by its owner alone, so that what
 * a developer has pasted elsewhere goes on working. In memory there is nothing to keep it with.
 */
export async function localApiKey(folder?: string): Promise<string> {
  if (folder === undefined) return issueApiKey(registry, { name: 'npm start' });

  const file = join(folder, 'api-key');
  const kept = await readFile(file, 'utf8').catch(() => undefined);
  if (kept !== undefined && (await isIssued(kept))) return kept;

  const apiKey = await issueApiKey(registry, { name: 'npm start' });
  await mkdir(folder, { recursive: true });
  await writeFile(file, apiKey, { mode: 0o600 });
  return apiKey;
}

async function isIssued(apiKey: string): Promise<boolean> {
  const digest = apiKeyDigest(apiKey);
  return (await listApiKeys(registry)).some((record) => record.digest === digest && isLive(record));
}
