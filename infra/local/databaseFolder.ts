import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { openPrivateFolder } from './privateFiles.ts';

/** The folder of the embedded database in a data folder. */
export function databaseFolder(folder: string): string {
  return join(folder, 'dynamodb');
}

/** The file from which `npm run keys` reads how to reach the engine of an `npm start`. */
export function engineFile(folder: string): string {
  return join(folder, 'engine.json');
}

/**
 * Reads a whole database folder, a second for each 300,000 pets. Throws if it is in use or damaged.
 *
 * dynalite crashes on a folder that it cannot open, and on each damaged file when it reads it.
 */
export async function assertUsable(folder: string): Promise<void> {
  const path = databaseFolder(folder);
  try {
    await openPrivateFolder(folder);
    await openPrivateFolder(path);
    await assertComplete(path);
    const database = new ClassicLevel(path);
    await database.open();
    // A killed `npm start` leaves its file behind, and another program may get its port.
    await rm(engineFile(folder), { force: true });
    const keys = database.keys();
    while ((await keys.nextv(1000)).length > 0);
    await database.close();
  } catch (error) {
    const cause = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
    const problem =
      cause.code === 'LEVEL_LOCKED'
        ? 'are in use by another npm start or npm run keys. Choose another folder with --data, and another --port.'
        : `cannot be used: ${cause.message}. Correct this, or choose another folder with --data.`;
    throw new Error(`The data in ${path} ${problem}`, { cause });
  }
  // LevelDB drops what it cannot read of its journal, and only this log says so, until the next start.
  if (/Corruption/.test(await readFile(join(path, 'LOG'), 'utf8'))) {
    throw new Error(
      `The data in ${path} were damaged, and some of them are lost. Start again to use the rest, or move that folder away.`,
    );
  }
}

/**
 * Throws for half a copy. Without `CURRENT`, LevelDB creates a new database and deletes all files of the old
 * one. Without the journal, `*.log`, it starts with what is left and says nothing.
 */
async function assertComplete(path: string): Promise<void> {
  const names = await readdir(path);
  const has = (file: RegExp) => names.some((name) => file.test(name));
  const isEmpty = !has(/\.(ldb|log)$|^(CURRENT|MANIFEST-)/);
  if (isEmpty || (has(/^CURRENT$/) && has(/\.log$/))) return;
  const missing = has(/^CURRENT$/) ? '*.log' : 'CURRENT';
  throw new Error(`the file ${missing} is missing, as in half a copy`);
}
