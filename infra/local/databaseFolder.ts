import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { createFolder, privateFolder } from './privateFiles.ts';

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
