import { findRunningDatabase, startEmbeddedDatabase } from './embeddedDatabase.ts';

export type LocalDatabase = {
  /** What a person should know of it: `embedded, in .petstore`. */
  description: string;
  stop(): Promise<void>;
};

/**
 * Opens the database of the local stage and points the AWS SDK of this process to it.
 *
 * That is the engine of `AWS_ENDPOINT_URL_DYNAMODB` where it is set, else the embedded one. Call it
 * before anything makes an SDK client.
 */
export async function openLocalDatabase(folder?: string): Promise<LocalDatabase> {
  const { AWS_ENDPOINT_URL_DYNAMODB: engine } = process.env;
  if (engine) {
    await pointSdkTo(engine);
    return { description: `at ${engine}`, stop: async () => {} };
  }
  const { endpoint, stop } = await startEmbeddedDatabase(folder);
  await pointSdkTo(endpoint);
  return {
    description: folder === undefined ? 'embedded, in memory' : `embedded, in ${folder}`,
    stop,
  };
}

/** As `openLocalDatabase`, beside an `npm start` that has the folder open. */
export async function joinLocalDatabase(folder: string): Promise<LocalDatabase> {
  const running = await findRunningDatabase(folder);
  if (running !== undefined) process.env.AWS_ENDPOINT_URL_DYNAMODB ||= running;
  return openLocalDatabase(folder);
}

/** An engine on a laptop knows neither accounts nor Regions; the SDK insists on both. */
async function pointSdkTo(endpoint: string): Promise<void> {
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'false',
    AWS_REGION: process.env.AWS_REGION || 'local',
    AWS_ACCESS_KEY_ID: process.env.AWS_ACCESS_KEY_ID || 'local',
    AWS_SECRET_ACCESS_KEY: process.env.AWS_SECRET_ACCESS_KEY || 'local',
  });
  // Imported only now: the client keeps what it finds in the environment.
  const { relaxDatabaseTimeouts } = await import('./relaxDatabaseTimeouts.ts');
  relaxDatabaseTimeouts();
}
