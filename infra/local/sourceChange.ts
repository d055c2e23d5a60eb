import { globSync, watch } from 'node:fs';
import { join, relative } from 'node:path';

const projectFolder = join(import.meta.dirname, '../..');

/** An editor writes a file in several steps, and a checkout many files. */
const quietMs = 100;

/**
 * Waits until a source file changes, and until all has been quiet for a moment.
 *
 * It watches from the call on, and throws at once where it cannot. Returns the file that changed last,
 * as seen from the project's folder.
 */
export function sourceChange(): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let quiet: NodeJS.Timeout;
  // Not `recursive`: on Linux that follows each file by its inode, and loses one that an editor or git
  // replaced. Folders see whatever comes under a name.
  const watchers = sourceFolders().map((folder) =>
    watch(folder, (_event, name) => {
      if (!name?.endsWith('.ts')) return;
      clearTimeout(quiet);
      quiet = setTimeout(resolve, quietMs, relative(projectFolder, join(folder, name)));
    }).on('error', reject),
  );
  return promise.finally(() => {
    for (const watcher of watchers) watcher.close();
  });
}

function sourceFolders(): string[] {
  return globSync('{functions,infra,lib}/**', { cwd: projectFolder, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
}
