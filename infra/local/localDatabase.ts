import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';
import { assertUsable } from './databaseFolder.ts';
import { readInBatches, returnFailedItems } from './dynaliteWorkarounds.ts';
import { guardRequests } from './guardRequests.ts';
import { writePrivateFile } from './privateFiles.ts';

type EmbeddedEngine = {
  /** For `AWS_ENDPOINT_URL_DYNAMODB`. */
  endpoint: string;
  /** For `AWS_ACCESS_KEY_ID`. The engine rejects every other one. */
  accessKeyId: string;
};

type LocalDatabase = {
  /** For people: `embedded, in .petstore`. */
  description: string;
  stop(): Promise<void>;
};

const loopback = '127.0.0.1';

/** A local engine lists its tables in milliseconds. */
const engineTimeoutMs = 5_000;

readInBatches();
returnFailedItems();

/**
 * Opens the database of the local stage and points the AWS SDK of this process to it.
 *
 * The database is the engine of `AWS_ENDPOINT_URL_DYNAMODB` if that is set, else the embedded one.
 * Call this before the first call to DynamoDB.
 */
export async function openLocalDatabase(folder?: string): Promise<LocalDatabase> {
  const { AWS_ENDPOINT_URL_DYNAMODB: endpoint } = process.env;
  if (endpoint) {
    pointSdkTo(endpoint);
    await assertEngine(endpoint);
    return { description: `at ${endpoint}`, stop: async () => {} };
  }
  const engine = await startEmbeddedDatabase(folder);
  pointSdkTo(engine.endpoint, engine.accessKeyId);
  const place = folder === undefined ? 'in memory' : `in ${folder}`;
  return { description: `embedded, ${place}`, stop: engine.stop };
}

/**
 * Like `openLocalDatabase`, but uses the database of an `npm start` that has the folder open.
 *
 * Throws if the folder has no database.
 */
export async function joinLocalDatabase(folder: string): Promise<LocalDatabase> {
  if (process.env.AWS_ENDPOINT_URL_DYNAMODB) return openLocalDatabase();
  const running = await findRunningEngine(folder);
  if (running) {
    pointSdkTo(running.endpoint, running.accessKeyId);
    return { description: `embedded, in ${folder}`, stop: async () => {} };
  }
  if (!existsSync(databaseFolder(folder))) {
    throw new Error(
      `There is no data in ${folder}. Name the folder of the service with --data, or run npm start first.`,
    );
  }
  return openLocalDatabase(folder);
}

/**
 * Starts a DynamoDB engine in this process, on a free loopback port.
 *
 * It takes requests with its access key only, which `npm run keys` reads from a file of the folder.
 * Items in a folder outlive the process, even a killed one. Without a folder they stay in memory.
 * Throws if another process has the folder open.
 */
export async function startEmbeddedDatabase(
  folder?: string,
  accessKeyId: string = randomUUID(),
): Promise<EmbeddedEngine & Pick<LocalDatabase, 'stop'>> {
  const path = folder === undefined ? undefined : databaseFolder(folder);
  if (path !== undefined) await assertUsable(path);
  const server = dynalite({
    createTableMs: 0,
    deleteTableMs: 0,
    ...(path !== undefined && { path }),
  });
  guardRequests(server, accessKeyId);
  await once(server.listen(0, loopback), 'listening');
  const endpoint = `http://${loopback}:${(server.address() as AddressInfo).port}`;
  const engine = { endpoint, accessKeyId };
  if (folder !== undefined) await writePrivateFile(engineFile(folder), JSON.stringify(engine));

  return {
    ...engine,
    async stop() {
      if (folder !== undefined) await rm(engineFile(folder), { force: true });
      await new Promise<void>((resolve, reject) => {
        // First: it also closes the files, as soon as no connection and no operation is left.
        server.close((error) => (error ? reject(error) : resolve()));
        server.closeAllConnections();
      });
    },
  };
}

/** Asks the engine, because a killed `npm start` leaves its file behind. */
async function findRunningEngine(folder: string): Promise<EmbeddedEngine | undefined> {
  try {
    const engine: EmbeddedEngine = JSON.parse(await readFile(engineFile(folder), 'utf8'));
    const headers = { Authorization: `AWS4-HMAC-SHA256 Credential=${engine.accessKeyId}/` };
    const signal = AbortSignal.timeout(engineTimeoutMs);
    const greeting = await (await fetch(engine.endpoint, { headers, signal })).text();
    return greeting.startsWith('healthy: dynamodb') ? engine : undefined;
  } catch {
    return undefined;
  }
}

function databaseFolder(folder: string): string {
  return join(folder, 'dynamodb');
}

function engineFile(folder: string): string {
  return join(folder, 'engine.json');
}

/** Throws unless a DynamoDB engine responds at the address, which a person has typed. */
async function assertEngine(address: string): Promise<void> {
  const client = new DynamoDBClient({ maxAttempts: 1 });
  const { TableNames } = await client
    .send(new ListTablesCommand(), { abortSignal: AbortSignal.timeout(engineTimeoutMs) })
    .catch(() => ({ TableNames: undefined }));
  client.destroy();
  if (TableNames) return;
  throw new Error(
    `No DynamoDB engine responds at ${address}: correct AWS_ENDPOINT_URL_DYNAMODB, which begins with http:// or https://, start the engine, or unset the variable to use the embedded one.`,
  );
}

/** The SDK requires a Region and credentials, of which only the embedded engine reads the access key. */
function pointSdkTo(endpoint: string, accessKeyId?: string): void {
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'false',
    AWS_REGION: process.env.AWS_REGION || 'local',
    AWS_ACCESS_KEY_ID: accessKeyId || process.env.AWS_ACCESS_KEY_ID || 'local',
    AWS_SECRET_ACCESS_KEY: process.env.AWS_SECRET_ACCESS_KEY || 'local',
  });
  // The SDK would prefer the access key of the profile.
  if (accessKeyId) delete process.env.AWS_PROFILE;
}
