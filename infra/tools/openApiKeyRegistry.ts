import { dynamoDb } from '../../lib/dynamodb/client.ts';
import { relaxDatabaseTimeouts } from '../local/dynaliteWorkarounds.ts';
import type { ApiKeyRegistry } from './apiKeyRegistry.ts';
import { openStageTable } from './openStageTable.ts';

/** A registry that was opened, and what closes it. */
type OpenRegistry = ApiKeyRegistry & { close(): Promise<void> };

/** Finds where a stage keeps its API keys. Throws as `openStageTable` does. */
export async function openApiKeyRegistry(stage: string, folder: string): Promise<OpenRegistry> {
  // A function's time-outs are for one that stands beside the database. Whoever revokes a leaked key
  // may sit on another continent.
  relaxDatabaseTimeouts(dynamoDb);
  const { tableName, close } = await openStageTable('apiKeys', stage, folder);
  return { stage, tableName, close };
}
