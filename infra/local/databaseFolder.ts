import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openPrivateFolder } from './privateFiles.ts';

/** The folder of the embedded database in a data folder. */
export function databaseFolder(folder: string): string {
  return join(folder, 'dynamodb');
}

/** The file from which `npm run keys` reads how to reach the engine of an `npm start`. */
export function engineFile(folder: string): string {
  return join(folder, 'engine.json');
}

export const damageAdvice = 'Restore a whole copy of the data folder, or delete the folder.';

/**
 * Creates the folders of the database, unless they exist. Throws if other users may write to them, or if
 * the database lacks its file `CURRENT`.
 *
 * LevelDB would create a new database in place of that one, and delete its files.
 */
export async function openDatabaseFolder(folder: string): Promise<void> {
  const path = databaseFolder(folder);
  await openPrivateFolder(folder);
  await openPrivateFolder(path);
  const hasData = (await readdir(path)).some((name) => /\.(ldb|log)$/.test(name));
  if (hasData && !existsSync(join(path, 'CURRENT'))) {
    throw Object.assign(new Error('the file CURRENT is missing'), { code: 'LEVEL_CORRUPTION' });
  }
}

/** Says what to do about data that are in use, damaged or out of reach. */
export function explainUnusable(folder: string, error: Error): Error {
  const cause = (error.cause ?? error) as NodeJS.ErrnoException;
  const problem =
    cause.code === 'LEVEL_LOCKED'
      ? 'are in use by another npm start or npm run keys. Choose another folder with --data, and another --port.'
      : `cannot be used: ${cause.message}. ${cause.code === 'LEVEL_CORRUPTION' ? damageAdvice : 'Correct this, or choose another folder with --data.'}`;
  return new Error(`The data in ${databaseFolder(folder)} ${problem}`, { cause });
}
