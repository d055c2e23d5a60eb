import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a folder that only its user can open, unless it exists.
 *
 * Throws if another user owns it or may write to it, because that user could add data and keys.
 */
export async function openPrivateFolder(path: string): Promise<void> {
  await createFolder(path, 0o700);
  const { uid, mode } = await stat(path);
  // Windows has no user ids and no such permissions.
  const user = process.getuid?.() ?? uid;
  if (uid !== user) throw new Error(`another user owns ${path}`);
  if (process.getuid && mode & 0o022) {
    throw new Error(`other users may write to ${path}, which chmod go-w changes`);
  }
}

/** Writes a new file that only its owner can read, in place of an earlier one. Readers find one of them, and whole. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const written = `${path}-${randomUUID()}`;
  await writeFile(written, text, { flag: 'wx', mode: 0o600 });
  try {
    await rename(written, path);
  } catch (error) {
    await rm(written);
    throw error;
  }
}

/**
 * Creates a folder and those above it, unless it exists.
 *
 * The `recursive` of Node.js never ends if a folder refuses a new one with ENOENT, as `/proc` does.
 */
export async function createFolder(path: string, mode?: number): Promise<void> {
  const parent = dirname(path);
  if (!existsSync(parent)) await createFolder(parent, mode);
  await mkdir(path, { mode }).catch(async (error) => {
    const isFolder = error.code === 'EEXIST' && (await stat(path)).isDirectory();
    if (!isFolder) throw error;
  });
}
