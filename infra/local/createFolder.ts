import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a folder and the folders above it, unless they exist.
 *
 * With `recursive`, `mkdir` never ends where a folder exists and takes no others, as in /proc.
 */
export async function createFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT') throw error;
    await createFolder(dirname(path));
    await mkdir(path);
  }
}
