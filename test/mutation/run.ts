import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';

/**
 * Breaks each expression of `lib/` in turn and asks whether a test fails: `npm run test:mutation`.
 *
 * Stryker comes from npm into this folder, with a lock file of its own, so that `npm ci` of the
 * project brings none of it. What follows `--` goes to Stryker: `-- --mutate lib/int64.ts` takes one
 * file.
 */
const folder = import.meta.dirname;

setPriority(constants.priority.PRIORITY_BELOW_NORMAL); // it runs for long, beside other work
installStryker();
const program = join(folder, 'node_modules/@stryker-mutator/core/bin/stryker.js');
const args = [program, 'run', join(folder, 'stryker.config.json'), ...process.argv.slice(2)];
process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;

/** Stryker still asks for TypeScript 5 and an older Vitest, so peers are not compared. */
function installStryker(): void {
  if (existsSync(join(folder, 'node_modules', '.package-lock.json'))) return;
  const { status } = spawnSync('npm', ['ci', '--legacy-peer-deps', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('Stryker was not installed: see the output of npm above.');
}
