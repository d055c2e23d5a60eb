import { createTables } from '../local/createTables.ts';
import { joinLocalDatabase } from '../local/localDatabase.ts';
import { localStage } from '../local/localStage.ts';
import { outputNames, stackName, stages } from '../stages.ts';
import type { ApiKeyRegistry } from './apiKeyRegistry.ts';
import { stackOutput } from './stackOutput.ts';

/** A registry that was opened, and what closes it. */
type OpenRegistry = ApiKeyRegistry & { close(): Promise<void> };

/**
 * Finds where a stage keeps its API keys.
 *
 * The local stage is found by its data folder, beside a running `npm start` or without one; the
 * others by the outputs of their stacks. Throws where there is no such stage, or it is not deployed.
 */
export async function openApiKeyRegistry(stage: string, folder: string): Promise<OpenRegistry> {
  if (stage === localStage.name) {
    const database = await joinLocalDatabase(folder);
    await createTables(localStage.tableNames);
    return { stage, tableName: localStage.tableNames.apiKeys, close: database.stop };
  }
  const names = stages.map(({ name }) => name);
  if (!names.some((name) => name === stage)) {
    throw new Error(`There is no stage ${stage}: take ${[localStage.name, ...names].join(', ')}.`);
  }
  const tableName = await stackOutput(stackName(stage), outputNames.apiKeysTable);
  return { stage, tableName, close: async () => {} };
}
