import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

const folder = import.meta.dirname;

/**
 * Installs what the service is measured against, unless it is installed.
 *
 * The peers have a lock file of their own, so `npm ci` of the project does not install them.
 * aws-lambda-ric compiles its HTTP client: it needs a C++ compiler and cmake, and takes minutes.
 */
export function installPeers(): void {
  const installed = join(folder, 'node_modules', '.package-lock.json');
  const locked = join(folder, 'package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(locked).mtimeMs) return;
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('The peers cannot be installed: see the output of npm above.');
}
