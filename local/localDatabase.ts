import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closeDynamoDb } from '../lib/dynamodb/client.ts';
import {
  damageAdvice,
  databaseFolder,
  engineFile,
  explainUnusable,
  openDatabaseFolder,
} from './databaseFolder.ts';
import {
  readInBatches,
  returnItemOnFailedCondition,
  startDynalite,
} from './dynaliteWorkarounds.ts';
import { guardRequests } from './guardRequests.ts';
import { pointSdkTo } from './pointSdkTo.ts';
import { writePrivateFile } from './privateFiles.ts';

type EmbeddedEngine = {
  /** For `AWS_ENDPOINT_URL_DYNAMODB`. */
  endpoint: string;
  /** For `AWS_ACCESS_KEY_ID`. The engine rejects every other one. */
  accessKeyId: string;
};

const loopback = '127.0.0.1';

const noDelays = { createTableMs: 0, deleteTableMs: 0 };

readInBatches();
returnItemOnFailedCondition();

type LocalDatabase = EmbeddedEngine & { stop(): Promise<void> };

let isOpen = false;

/**
 * Opens the database of the local stage and points the AWS SDK of this process to it.
 *
 * If another process has the folder open, `isShared` uses the engine of that process. Without it, this throws.
 * It also throws if this process has a database open, because the functions have one client.
 */
export async function openLocalDatabase(
  folder: string | undefined,
  { isShared = false } = {},
): Promise<LocalDatabase> {
  if (isOpen) {
    throw new Error(
      'This process has a local database open. Call its stop() first, for example after each test.',
    );
  }
  isOpen = true;
  try {
    const database = await findEngine(folder, isShared);
    pointSdkTo(database);
    // A client of an earlier database would still call its engine.
    closeDynamoDb();
    let stopped: Promise<void> | undefined;
    return {
      ...database,
      // A second call must not let go of the database that another service has opened since.
      stop() {
        stopped ??= database.stop().then(() => {
          isOpen = false;
        });
        return stopped;
      },
    };
  } catch (error) {
    isOpen = false;
    throw error;
  }
}

async function findEngine(folder: string | undefined, isShared: boolean): Promise<LocalDatabase> {
  try {
    return await startEmbeddedDatabase(folder);
  } catch (error) {
    const isLocked = Object((error as Error).cause).code === 'LEVEL_LOCKED';
    if (folder === undefined || !isShared || !isLocked) throw error;
    try {
      const { endpoint, accessKeyId } = JSON.parse(await readFile(engineFile(folder), 'utf8'));
      return { endpoint: new URL(endpoint).href, accessKeyId, stop: async () => {} };
    } catch (cause) {
      const problem = `Another command has just opened the data in ${folder}.`;
      throw new Error(`${problem} Run this again, or restart npm start.`, { cause });
    }
  }
}

/** Lets other commands use the engine of this process. Call it when the database has its tables and a key. */
export async function shareEngine(folder: string, engine: EmbeddedEngine): Promise<void> {
  const { endpoint, accessKeyId } = engine;
  await writePrivateFile(engineFile(folder), JSON.stringify({ endpoint, accessKeyId }));
}

/**
 * Starts a DynamoDB engine in this process, on a free loopback port.
 *
 * The engine accepts only requests with its access key. Items in a folder survive the process, even if it is
 * killed. Without a folder, items are only in memory.
 * Throws if the folder cannot be used, or if another process has it open.
 */
export async function startEmbeddedDatabase(folder?: string, accessKeyId: string = randomUUID()) {
  const server = folder === undefined ? await startDynalite(noDelays) : await openFolder(folder);
  if (folder !== undefined) process.on('uncaughtExceptionMonitor', exitOnDatabaseError);
  guardRequests(server, accessKeyId);
  await once(server.listen(0, loopback), 'listening');
  const endpoint = `http://${loopback}:${(server.address() as AddressInfo).port}`;

  return {
    endpoint,
    accessKeyId,
    async stop() {
      process.off('uncaughtExceptionMonitor', exitOnDatabaseError);
      await new Promise((resolve) => {
        // `close` must come first. It also closes the files, as soon as no connection and no operation is left. Its
        // error would hide the one before it, and every write is in the files already.
        server.close(resolve);
        server.closeAllConnections();
      });
    },
  };
}

async function openFolder(folder: string): Promise<Server> {
  try {
    await openDatabaseFolder(folder);
    const server = await startDynalite({ ...noDelays, path: databaseFolder(folder) });
    // A killed `npm start` leaves this file behind. By now, another program may use the port in it.
    await rm(engineFile(folder), { force: true }).catch(async (error) => {
      await new Promise((resolve) => server.close(resolve));
      throw error;
    });
    return server;
  } catch (error) {
    throw explainUnusable(folder, error as Error);
  }
}

const adviceByCode: Record<string, string> = {
  LEVEL_IO_ERROR: 'Free space on the disk, then start again: every acknowledged pet is stored.',
  LEVEL_CORRUPTION: damageAdvice,
};

/**
 * Ends the process after an error of LevelDB, which dynalite throws where nothing can catch it.
 *
 * After a disk error, the journal may end in half a record. LevelDB would not find a record after it.
 */
function exitOnDatabaseError(error: NodeJS.ErrnoException): void {
  const advice = adviceByCode[error.code ?? ''];
  if (advice === undefined) return;
  process.stderr.write(`${error.message}. ${advice}\n`);
  process.exit(1);
}
