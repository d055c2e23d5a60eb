import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

/**
 * Installs a program from PyPI into the cache, once, and returns its path.
 *
 * If Python or PyPI is missing, it prints that the run is skipped and returns undefined.
 */
export function installPythonCommand(name: string, version: string): string | undefined {
  const environment = resolve(`node_modules/.cache/${name}-${version}`);
  const program = `${environment}/bin/${name}`;
  if (existsSync(program)) return program;

  const isMade = spawnSync('python3', ['-m', 'venv', environment]).status === 0;
  const install = ['install', '--quiet', '--disable-pip-version-check', `${name}==${version}`];
  if (isMade && spawnSync(`${environment}/bin/pip`, install).status === 0) return program;
  process.stdout.write(`\n!!! SKIPPED: ${name} needs Python 3 and PyPI.\n\n`);
  return undefined;
}
