import { chmod, readFile } from 'node:fs/promises';
import type { RequestListener, Server } from 'node:http';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { createFolder, privateFolder } from './privateFiles.ts';

// dynalite 4 has no maintainer. Each function works around one of its faults.

type Iterator = { nextv(size: number): Promise<unknown[]>; close(): Promise<void> };
type Level = { values(...options: unknown[]): Iterator };

/** The class of all LevelDB databases, on disk and in memory. */
const level = Object.getPrototypeOf(ClassicLevel.prototype) as Level;
const { values } = level;

const batchSize = 32;

/**
 * Makes dynalite release the memory of its reads.
 *
 * At the end of a query or a scan it calls `return()`, which LevelDB's iterators lack. Each stayed
 * open with a snapshot of the database. Reading value by value also reserves room for 1,000 values,
 * 64 KB outside the heap, until the iterator is collected.
 */
export function readInBatches(): void {
  level.values = function valuesInBatches(...options) {
    const iterator = values.apply(this, options);
    let batch: unknown[] = [];
    return Object.assign(iterator, {
      async next() {
        if (batch.length === 0) batch = await iterator.nextv(batchSize);
        return batch.shift();
      },
      return: () => iterator.close(),
    });
  };
}

/**
 * Reads a whole database folder, a second for each 300,000 pets.
 *
 * dynalite crashes on a folder that it cannot open, and on each damaged file when it reads it.
 */
export async function assertUsable(path: string): Promise<void> {
  try {
    await createFolder(path, privateFolder);
    // Earlier versions let others read it.
    await chmod(path, privateFolder);
    const database = new ClassicLevel(path);
    await database.open();
    const keys = database.keys();
    while ((await keys.nextv(1000)).length > 0);
    await database.close();
  } catch (error) {
    const cause = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
    throw new Error(`The data in ${path} ${problemOf(cause)}`, { cause });
  }
  // LevelDB drops what it cannot read of its journal, and only its own log says so.
  if (/Corruption/.test(await readFile(join(path, 'LOG'), 'utf8'))) {
    throw new Error(
      `The data in ${path} were damaged, and some of them are lost. Start again to use the rest, or delete or move that folder.`,
    );
  }
}

function problemOf({ code = '', message }: NodeJS.ErrnoException): string {
  if (code === 'LEVEL_LOCKED') {
    return 'are in use by another npm start. Choose another folder with --data, and another --port.';
  }
  return code.startsWith('LEVEL_')
    ? `cannot be read: ${message}. Delete or move that folder, or choose another one with --data.`
    : `cannot be used: ${message}. Choose another folder with --data, or npm start -- --in-memory.`;
}

/**
 * Lets only requests with this access key reach dynalite, and no request of a web page.
 *
 * dynalite responds to every program and lets every origin read. It also ends the process when a
 * request breaks off.
 */
export function guardRequests(server: Server, accessKeyId: string): void {
  const [handle] = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request').on('request', (request, response) => {
    const { origin, authorization = '' } = request.headers;
    if (origin !== undefined || !authorization.includes(`Credential=${accessKeyId}/`)) {
      const __type = 'com.amazon.coral.service#UnrecognizedClientException';
      response.writeHead(403).end(JSON.stringify({ __type, message: 'The access key is wrong.' }));
      return;
    }
    handle?.(request, response);
    request.removeAllListeners('error').on('error', () => {});
  });
}
