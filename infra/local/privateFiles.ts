import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a folder that only its user can open, unless it exists.
 *
 * Throws if another user owns it or may write to it, because that user could add data and keys.
 */
export async function openPrivateFolder(path: string): Promise<void> {
  await createFolder(path, 0o700);
  const { uid, mode } = await stat(path);
  // Windows has neither.
  const user = process.getuid?.() ?? uid;
  if (uid !== user) throw new Error(`another user owns ${path}`);
  if (process.getuid && mode & 0o022) {
    throw new Error(`other users may write to ${path}, which chmod go-w changes`);
  }
}

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

/** Writes a new file that only its owner can read, in place of an earlier one. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  await rm(path, { force: true });
  await writeFile(path, text, { flag: 'wx', mode: 0o600 });
}
