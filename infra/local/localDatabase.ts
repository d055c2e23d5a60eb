import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';
import { assertUsable, readInBatches } from './dynaliteWorkarounds.ts';

type LocalDatabase = {
  /** For people: `embedded, in .petstore`. */
  description: string;
  stop(): Promise<void>;
};

const loopback = '127.0.0.1';

/** A local engine lists its tables in milliseconds. */
const engineTimeoutMs = 5_000;

readInBatches();

/**
 * Opens the database of the local stage and points the AWS SDK of this process to it.
 *
 * The database is the engine of `AWS_ENDPOINT_URL_DYNAMODB` if that is set, else the embedded one.
 * Call this before the first call to DynamoDB.
 */
export async function openLocalDatabase(folder?: string): Promise<LocalDatabase> {
  const { AWS_ENDPOINT_URL_DYNAMODB: engine } = process.env;
  if (engine) {
    pointSdkTo(engine);
    await assertEngine(engine);
    return { description: `at ${engine}`, stop: async () => {} };
  }
  const { endpoint, stop } = await startEmbeddedDatabase(folder);
  pointSdkTo(endpoint);
  return {
    description: folder === undefined ? 'embedded, in memory' : `embedded, in ${folder}`,
    stop,
  };
}

/**
 * Like `openLocalDatabase`, but uses the database of an `npm start` that has the folder open.
 *
 * Throws if the folder has no database.
 */
export async function joinLocalDatabase(folder: string): Promise<LocalDatabase> {
  const running = await findRunningDatabase(folder);
  if (running !== undefined) process.env.AWS_ENDPOINT_URL_DYNAMODB ||= running;
  if (!process.env.AWS_ENDPOINT_URL_DYNAMODB && !existsSync(databaseFolder(folder))) {
    throw new Error(
      `There is no data in ${folder}. Name the folder of the service with --data, or run npm start first.`,
    );
  }
  return openLocalDatabase(folder);
}

/**
 * Starts a DynamoDB engine in this process, on a free loopback port.
 *
 * Items in a folder outlive the process, even a killed one. Without a folder they stay in memory.
 * Throws if another process has the folder open.
 */
export async function startEmbeddedDatabase(folder?: string) {
  const path = folder === undefined ? undefined : databaseFolder(folder);
  if (path !== undefined) await assertUsable(path);
  const server = dynalite({
    createTableMs: 0,
    deleteTableMs: 0,
    ...(path !== undefined && { path }),
  });
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
      await new Promise<void>((resolve, reject) => {
        // First: it also closes the files, as soon as no connection and no operation is left.
        server.close((error) => (error ? reject(error) : resolve()));
        server.closeAllConnections();
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

function databaseFolder(folder: string): string {
  return join(folder, 'dynamodb');
}

function endpointFile(folder: string): string {
  return join(folder, 'endpoint');
}

/** Throws unless a DynamoDB engine responds at the address, which a person has typed. */
async function assertEngine(address: string): Promise<void> {
  const fault = await findFault(address);
  if (fault === undefined) return;
  throw new Error(
    `No DynamoDB engine responds at ${address} (${fault}): correct AWS_ENDPOINT_URL_DYNAMODB, start the engine, or unset the variable to use the embedded one.`,
  );
}

async function findFault(address: string): Promise<string | undefined> {
  if (!/^https?:\/\//.test(address)) return 'it must begin with http://';
  const client = new DynamoDBClient({ maxAttempts: 1 });
  const abortSignal = AbortSignal.timeout(engineTimeoutMs);
  try {
    const { TableNames } = await client.send(new ListTablesCommand(), { abortSignal });
    return TableNames ? undefined : 'something else responds';
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException;
    if (abortSignal.aborted) return `no response in ${engineTimeoutMs / 1000} s`;
    return code ?? (error instanceof SyntaxError ? 'something else responds' : name);
  } finally {
    client.destroy();
  }
}

/** The SDK requires a Region and credentials, which a local engine ignores. */
function pointSdkTo(endpoint: string): void {
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'false',
    AWS_REGION: process.env.AWS_REGION || 'local',
    AWS_ACCESS_KEY_ID: process.env.AWS_ACCESS_KEY_ID || 'local',
    AWS_SECRET_ACCESS_KEY: process.env.AWS_SECRET_ACCESS_KEY || 'local',
  });
}
