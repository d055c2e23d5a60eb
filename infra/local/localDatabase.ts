import { readFile, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import dynalite from 'dynalite';
import { relaxDatabaseTimeouts } from '../relaxDatabaseTimeouts.ts';
import { assertUsable, readInBatches, trackRequests } from './dynaliteWorkarounds.ts';

type LocalDatabase = {
  /** For people: `embedded, in .petstore`. */
  description: string;
  stop(): Promise<void>;
};

const loopback = '127.0.0.1';

readInBatches();

/**
 * Opens the database of the local stage and points the AWS SDK of this process to it.
 *
 * The database is the engine of `AWS_ENDPOINT_URL_DYNAMODB` if that is set, else the embedded one.
 * Call this before anything creates an SDK client.
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

/** Like `openLocalDatabase`, but uses the database of an `npm start` that has the folder open. */
export async function joinLocalDatabase(folder: string): Promise<LocalDatabase> {
  const running = await findRunningDatabase(folder);
  if (running !== undefined) process.env.AWS_ENDPOINT_URL_DYNAMODB ||= running;
  return openLocalDatabase(folder);
}

/**
 * Starts a DynamoDB engine in this process, on a free loopback port.
 *
 * Items in a folder outlive the process, even a killed one. Without a folder they stay in memory.
 * Throws if another process has the folder open.
 */
export async function startEmbeddedDatabase(folder?: string) {
  const path = folder === undefined ? undefined : join(folder, 'dynamodb');
  if (path !== undefined) await assertUsable(path);
  const server = dynalite({
    createTableMs: 0,
    deleteTableMs: 0,
    ...(path !== undefined && { path }),
  });
  const requestsDone = trackRequests(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, loopback, resolve);
  });
  const endpoint = `http://${loopback}:${(server.address() as AddressInfo).port}`;
  if (folder !== undefined) await writeFile(endpointFile(folder), endpoint);

  return {
    /** For `AWS_ENDPOINT_URL_DYNAMODB`. */
    endpoint,
    async stop(): Promise<void> {
      if (folder !== undefined) await rm(endpointFile(folder), { force: true });
      await requestsDone();
      server.closeAllConnections();
      await new Promise<void>((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()));
      });
    },
  };
}

/** Asks the engine, because a killed `npm start` leaves its endpoint file behind. */
async function findRunningDatabase(folder: string): Promise<string | undefined> {
  const endpoint = await readFile(endpointFile(folder), 'utf8').catch(() => undefined);
  if (endpoint === undefined) return undefined;
  const greeting = await fetch(endpoint)
    .then((response) => response.text())
    .catch(() => '');
  return greeting.startsWith('healthy: dynamodb') ? endpoint : undefined;
}

function endpointFile(folder: string): string {
  return join(folder, 'endpoint');
}

/** The SDK requires a Region and credentials, which a local engine ignores. */
async function pointSdkTo(endpoint: string): Promise<void> {
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'false',
    AWS_REGION: process.env.AWS_REGION || 'local',
    AWS_ACCESS_KEY_ID: process.env.AWS_ACCESS_KEY_ID || 'local',
    AWS_SECRET_ACCESS_KEY: process.env.AWS_SECRET_ACCESS_KEY || 'local',
  });
  // Imported now, because the client reads the environment when it loads.
  const { dynamoDbClient } = await import('../../lib/dynamodb/client.ts');
  relaxDatabaseTimeouts(dynamoDbClient);
}
