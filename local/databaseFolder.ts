import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openPrivateFolder } from './privateFiles.ts';

/** The folder of the embedded database in a data folder. */
export function databaseFolder(folder: string): string {
  return join(folder, 'dynamodb');
}

/** The file from which `npm run keys` learns how to reach the engine of a running `npm start`. */
export function engineFile(folder: string): string {
  return join(folder, 'engine.json');
}

/** The advice for LevelDB's error `LEVEL_CORRUPTION`. */
export const damageAdvice = 'Restore a whole copy of the data folder, or delete the folder.';

/**
 * Creates the folders of the database, unless they exist. Throws if other users may write to them.
 *
 * It also throws if the database lacks its file `CURRENT`. LevelDB would take the folder for a new
 * database, and delete the files of the old one.
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

/** Returns an error that says what to do about data that are in use, damaged or not accessible. */
export function explainUnusable(folder: string, error: Error): Error {
  const cause = (error.cause ?? error) as NodeJS.ErrnoException;
  const otherAdvice = 'Correct this, or choose another folder with --data.';
  const advice = cause.code === 'LEVEL_CORRUPTION' ? damageAdvice : otherAdvice;
  const problem =
    cause.code === 'LEVEL_LOCKED'
      ? 'are in use by another process. Choose another folder with --data, and another --port.'
      : `cannot be used: ${cause.message}. ${advice}`;
  return new Error(`The data in ${databaseFolder(folder)} ${problem}`, { cause });
}
