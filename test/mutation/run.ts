import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { groups } from './groups.ts';

/**
 * Breaks each expression of `lib/` in turn and asks whether a test fails: `npm run test:mutation`.
 *
 * `-- store` takes one group of files. Options go to Stryker: `-- --mutate lib/int64.ts` asks all the
 * tests about one file.
 */
const folder = import.meta.dirname;

setPriority(constants.priority.PRIORITY_BELOW_NORMAL); // it runs for long, beside other work
installStryker();

const [, , ...args] = process.argv;
if (args[0]?.startsWith('-')) {
  process.exitCode = runStryker('all', args);
} else {
  const names = args.length > 0 ? args : Object.keys(groups);
  const unknown = names.find((name) => !(name in groups));
  if (unknown) throw new Error(`No group is named ${unknown}: ${Object.keys(groups).join(', ')}.`);
  const exitCodes = names.map((name) => runStryker(name));
  process.exitCode = Math.max(...exitCodes);
}

/** Fails where fewer mutants are killed than the threshold of the configuration asks for. */
function runStryker(group: string, options: string[] = []): number {
  const program = join(folder, 'node_modules/@stryker-mutator/core/bin/stryker.js');
  const configuration = join(folder, 'stryker.config.ts');
  const { status } = spawnSync(process.execPath, [program, 'run', configuration, ...options], {
    stdio: 'inherit',
    env: { ...process.env, MUTATION_GROUP: group },
  });
  return status ?? 1;
}

/** Stryker comes from npm into this folder, so that `npm ci` of the project brings none of it. */
function installStryker(): void {
  if (existsSync(join(folder, 'node_modules', '.package-lock.json'))) return;
  // Its plugin was not published for a Vitest as new as ours, so peers are not compared.
  const npm = ['ci', '--legacy-peer-deps', '--no-audit', '--no-fund'];
  const { status } = spawnSync('npm', npm, { cwd: folder, stdio: 'inherit' });
  if (status !== 0) throw new Error('Stryker was not installed: see the output of npm above.');
}
