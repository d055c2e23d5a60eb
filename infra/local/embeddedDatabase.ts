import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import dynalite from 'dynalite';

export type EmbeddedDatabase = {
  /** For `AWS_ENDPOINT_URL_DYNAMODB`. */
  endpoint: string;
  stop(): Promise<void>;
};

const loopback = '127.0.0.1';

/**
 * Starts a DynamoDB of its own in this process, on a free loopback port.
 *
 * With a folder its items outlive the process, a killed one included; without one they are kept in
 * memory. Throws where another process has the folder open.
 */
export async function startEmbeddedDatabase(folder?: string): Promise<EmbeddedDatabase> {
  if (folder !== undefined) {
    await mkdir(folder, { recursive: true });
    if (await findRunningDatabase(folder)) {
      throw new Error(
        `The data folder ${folder} is in use by another npm start. Stop that one, or choose another folder with --data, or use --in-memory.`,
      );
    }
  }
  const server = dynalite({
    createTableMs: 0,
    deleteTableMs: 0,
    ...(folder !== undefined && { path: join(folder, 'dynamodb') }),
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, loopback, resolve);
  });
  const endpoint = `http://${loopback}:${(server.address() as AddressInfo).port}`;
  if (folder !== undefined) await writeFile(endpointFile(folder), endpoint);

  return {
    endpoint,
    async stop() {
      if (folder !== undefined) await rm(endpointFile(folder), { force: true });
      server.closeAllConnections();
      await new Promise<void>((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()));
      });
    },
  };
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
