import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a folder and its parents, unless they exist.
 *
 * `mkdir` with `recursive` never returns where Linux refuses a folder with ENOENT: below `/proc`, and in
 * a working directory that is deleted.
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    const parent = dirname(path);
    if (code !== 'ENOENT' || parent === path) throw error;
    await makeFolder(parent);
    await mkdir(path);
  }
}
