import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { join } from 'node:path';
import { defineCommand, print, runCommand, UsageError } from '../../infra/tools/command.ts';
import { markdownTable, writeSection } from '../bench/report.ts';
import { installPackages } from '../helpers/installPackages.ts';
import { groups, notMutated } from './groups.ts';

const folder = import.meta.dirname;

export const mutation = defineCommand(
  'test:mutation',
  'Breaks the code in many ways, and counts what the tests notice.',
)
  .argument('[groups...]', `only these groups of files: ${Object.keys(groups).join(', ')}`)
  .option('--mutate <files>', 'only these files, with all in-process tests')
  .option('--write', 'update the table of README.md')
  .addHelpText(
    'after',
    '\ntest/mutation/README.md explains it. Options of Stryker follow a second --.',
  )
  .action((args, { mutate, write }) => {
    const hasStrykerOptions = mutate !== undefined || args[0]?.startsWith('-');
    const unknown = hasStrykerOptions ? undefined : args.find((name) => !(name in groups));
    if (unknown) {
      throw new UsageError(`No group is named ${unknown}: ${Object.keys(groups).join(', ')}.`);
    }
    assertEachFileInOneGroup();
    assertTestsExist();
    // A run takes long, beside other work. A lower priority that it was started with stays.
    setPriority(Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL));
    // The plugin's peer dependency names older versions of Vitest.
    installPackages(folder, '--legacy-peer-deps');

    if (hasStrykerOptions) {
      process.exitCode = runStryker('all', [...(mutate ? ['--mutate', mutate] : []), ...args]);
      return;
    }
    const names = args.length > 0 ? args : Object.keys(groups);
    process.exitCode = Math.max(...names.map((name) => runStryker(name)));
    const table = scoreTable();
    print(`\n${table}`);
    if (write) writeSection(join(folder, 'README.md'), 'scores', table);
  });

/** A new file of `lib/` must not be forgotten. */
function assertEachFileInOneGroup(): void {
  const excluded = new Set(globSync(notMutated));
  const mutated = Object.values(groups).flatMap(({ mutate }) => globSync(mutate));
  for (const file of globSync('lib/**/*.ts')) {
    const count = mutated.filter((other) => other === file).length;
    const expected = excluded.has(file) ? 0 : 1;
    if (count !== expected) {
      throw new Error(`${file} is in ${count} groups of test/mutation/groups.ts, not ${expected}.`);
    }
  }
}

/** Tests may be renamed. */
function assertTestsExist(): void {
  const patterns = Object.values(groups).flatMap(({ testFiles }) => testFiles);
  const missing = patterns.find((pattern) => globSync(pattern).length === 0);
  if (missing) throw new Error(`No test matches ${missing} of test/mutation/groups.ts.`);
}

/** Returns the exit code: 1 if the score is below the threshold of the configuration. */
function runStryker(group: string, options: string[] = []): number {
  const program = join(folder, 'node_modules/@stryker-mutator/core/bin/stryker.js');
  const configuration = join(folder, 'stryker.config.ts');
  const { status } = spawnSync(process.execPath, [program, 'run', configuration, ...options], {
    stdio: 'inherit',
    env: { ...process.env, MUTATION_GROUP: group },
  });
  return status ?? 1;
}

type Report = { files: Record<string, { mutants: { status: string }[] }> };

/** The latest scores of all groups that have a report, in Markdown. */
function scoreTable(): string {
  const scores = Object.keys(groups).flatMap((group) => {
    const file = `reports/mutation/${group}.json`;
    if (!existsSync(file)) return [];
    const { files } = JSON.parse(readFileSync(file, 'utf8')) as Report;
    const statuses = Object.values(files).flatMap(({ mutants }) => mutants.map((m) => m.status));
    const count = (...wanted: string[]) => statuses.filter((each) => wanted.includes(each)).length;
    const killed = count('Killed', 'Timeout');
    return [{ group, killed, judged: killed + count('Survived', 'NoCoverage') }];
  });
  const sum = (part: 'killed' | 'judged') => scores.reduce((total, each) => total + each[part], 0);
  const rows = [...scores, { group: 'all', killed: sum('killed'), judged: sum('judged') }].map(
    ({ group, judged, killed }) => [
      group,
      String(judged),
      String(killed),
      `${((100 * killed) / judged).toFixed(0)} %`,
    ],
  );
  return markdownTable(['Group', 'Judged', 'Killed', 'Score'], rows);
}

if (import.meta.main) await runCommand(mutation);
