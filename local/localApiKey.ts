import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { ApiKeyRecord, apiKeyDigest, createApiKey, isApiKeyValid } from '../lib/apiKeys/apiKey.ts';
import { dynamoDb, nowEpochSeconds } from '../lib/dynamodb/client.ts';
import { localStage } from './localStage.ts';
import { writePrivateFile } from './privateFiles.ts';

const TableName = localStage.tableNames.apiKeys;

/**
 * Returns a valid API key of the local stage.
 *
 * A file in the data folder keeps it, so the same key works after a restart. A key that is damaged, revoked or
 * unknown to the database is replaced. Without a folder, the key is new.
 */
export async function localApiKey(folder: string | undefined): Promise<string> {
  const file = folder && join(folder, 'api-key');
  // An editor may have added a line end.
  const keptKey = file ? (await readFile(file, 'utf8').catch(() => '')).trimEnd() : '';
  if (file && (await isValid(keptKey))) {
    // Other users may be able to read a file that was copied here.
    await chmod(file, 0o600);
    return keptKey;
  }
  const apiKey = createApiKey(localStage.name);
  // The file comes first. If it cannot be written, the database has no valid key that nobody knows.
  if (file) await writePrivateFile(file, apiKey);
  const record: ApiKeyRecord = {
    digest: apiKeyDigest(apiKey),
    name: 'npm start',
    createdAtEpochSeconds: nowEpochSeconds(),
  };
  await dynamoDb().send(new PutCommand({ TableName, Item: record }));
  return apiKey;
}

async function isValid(apiKey: string): Promise<boolean> {
  const read = new GetCommand({ TableName, Key: { digest: apiKeyDigest(apiKey) } });
  const { data: record } = ApiKeyRecord.safeParse((await dynamoDb().send(read)).Item);
  return record !== undefined && isApiKeyValid(record);
}
