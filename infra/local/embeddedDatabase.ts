import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import dynalite from 'dynalite';
import { readInBatches } from './readInBatches.ts';
import { trackRequests } from './trackRequests.ts';

export type EmbeddedDatabase = {
  /** For `AWS_ENDPOINT_URL_DYNAMODB`. */
  endpoint: string;
  stop(): Promise<void>;
};

const loopback = '127.0.0.1';

readInBatches();

/**
 * Starts a DynamoDB of its own in this process, on a free loopback port.
 *
 * With a folder its items outlive the process, a killed one included; without one they are kept in
 * memory. Throws where another process has the folder open.
 */
export async function startEmbeddedDatabase(folder?: string): Promise<EmbeddedDatabase> {
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
    endpoint,
    async stop() {
      if (folder !== undefined) await rm(endpointFile(folder), { force: true });
      // It crashes where its files are closed below a request.
      await requestsDone();
      server.closeAllConnections();
      await new Promise<void>((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()));
      });
    },
  };
}

/** Opens the database once by hand, because dynalite crashes on one that it cannot open. */
async function assertUsable(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
    const database = new ClassicLevel(path);
    await database.open();
    await database.close();
  } catch (error) {
    const cause = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
    const trouble =
      cause.code === 'LEVEL_LOCKED'
        ? 'in use by another npm start'
        : `not usable: ${cause.message}`;
    throw new Error(
      `The data in ${path} is ${trouble}. Choose another folder with --data, or use --in-memory.`,
      { cause },
    );
  }
}

/** Finds the database that a running `npm start` keeps in a folder; a killed one leaves its note. */
export async function findRunningDatabase(folder: string): Promise<string | undefined> {
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
