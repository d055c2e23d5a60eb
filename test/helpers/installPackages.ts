import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Installs the packages of a folder, unless they are installed.
 *
 * Such a folder has a lock file of its own, so `npm ci` of the project does not install them.
 */
export function installPackages(folder: string, ...options: string[]): void {
  const installed = join(folder, 'node_modules', '.package-lock.json');
  const locked = join(folder, 'package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(locked).mtimeMs) return;
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', ...options], {
    cwd: folder,
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error(`npm cannot install the packages of ${folder}: see above.`);
}
