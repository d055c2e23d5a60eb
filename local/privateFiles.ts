import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';

/**
 * Creates a folder that only its user can open, unless it exists.
 *
 * Throws if another user owns it or may write to it, because that user could add data and keys.
 */
export async function openPrivateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
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
    await rm(written).catch(() => {});
    throw error;
  }
}
