import { functionEnvironment } from '../lib/config.ts';
import { createTables } from './createTables.ts';
import { localApiKey } from './localApiKey.ts';
import { openLocalDatabase, shareEngine } from './localDatabase.ts';
import { localStage } from './localStage.ts';

export type LocalService = {
  /** A valid key of the stage `local`. */
  apiKey: string;
  /** The headers of a request with this key. */
  headers: Record<string, string>;
  /** Closes the database, so that the process can end. */
  stop(): Promise<void>;
};

type LocalServiceOptions = {
  /** The data folder. Absent: everything is in memory, and ends with the process. */
  folder?: string | undefined;
  /**
   * Whether to use the database of an `npm start` that has the folder open. Default: true.
   *
   * Otherwise this process needs the folder for itself, and other commands use its database.
   */
  isShared?: boolean;
  corsOrigins?: readonly string[];
};

/**
 * Prepares this process to run the functions: a database with its tables, their environment, and an API key.
 *
 * The functions read their environment once, so call this before a handler. Throws if the last service of this
 * process was not stopped.
 */
export async function openLocalService({
  folder,
  isShared = true,
  corsOrigins,
}: LocalServiceOptions = {}): Promise<LocalService> {
  const database = await openLocalDatabase(folder, { isShared });
  try {
    await createTables(localStage.tableNames);
    // Variables of the user's shell do not reach the functions.
    delete process.env.CORS_ORIGINS;
    delete process.env.RELEASE;
    Object.assign(process.env, {
      // The gateway logs each request. The functions log only what goes wrong.
      LOG_LEVEL: 'WARN',
      ...functionEnvironment({ ...localStage, stage: localStage.name, corsOrigins }),
    });
    const apiKey = await localApiKey(folder);
    if (folder !== undefined && !isShared) await shareEngine(folder, database);
    return { apiKey, headers: { Authorization: `Bearer ${apiKey}` }, stop: database.stop };
  } catch (error) {
    await database.stop();
    throw error;
  }
}
