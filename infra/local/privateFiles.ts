import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The mode of a folder that only its owner can open. */
export const privateFolder = 0o700;

/**
 * Creates a folder and the folders above it, unless they exist.
 *
 * With `recursive`, `mkdir` never ends where a folder exists and takes no others, as in /proc.
 */
export async function createFolder(path: string, mode?: number): Promise<void> {
  try {
    await mkdir(path, mode);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT') throw error;
    await createFolder(dirname(path), mode);
    await mkdir(path, mode);
  }
}

/** Writes a new file that only its owner can read, in place of an earlier file or link. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  await rm(path, { force: true });
  await writeFile(path, text, { flag: 'wx', mode: 0o600 });
}
