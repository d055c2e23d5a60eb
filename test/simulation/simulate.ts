import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { defineCommand, print, runCommand, UsageError } from '../../infra/tools/command.ts';
import { exploreAll, findShortest, runSchedule, type Violation, walkAtRandom } from './explore.ts';
import { brokenPromises } from './invariants.ts';
import { loadService } from './loadService.ts';
import { mutants } from './mutants.ts';
import { scopes } from './scopes.ts';

type Task = { scope?: string; mutant?: string };
type Result = { line: string; hasFailed: boolean; isMutantKilled?: boolean };

const minKilledPercent = 90;
const randomSeed = 13;
const walksPerMutant = 200;

export const simulation = defineCommand(
  'test:simulation',
  'Explores the orders in which concurrent requests can run.',
)
  .argument('[names...]', 'only these scopes, or only these mutants')
  .option('--replay <scope:schedule>', 'one run, with the log of the service')
  .option('--mutants', 'whether each mutant of the code is noticed')
  .addHelpText('after', '\ndocs/consistency.md explains it.')
  .action(async (names, { replay: schedule, mutants: isOfMutants }) => {
    process.exitCode =
      schedule === undefined
        ? await runAllNamed(names, isOfMutants === true)
        : await replay(schedule);
  });

/** Returns the exit code. */
async function runAllNamed(named: string[], isOfMutants: boolean): Promise<number> {
  const known: object = isOfMutants ? mutants : scopes;
  const unknown = named.find((name) => !(name in known));
  if (unknown) throw new UsageError(`${unknown} is none of: ${Object.keys(known).join(', ')}.`);

  const names = named.length > 0 ? named : Object.keys(known);
  const tasks = names.map((name): Task => (isOfMutants ? { mutant: name } : { scope: name }));
  const results = await runAll(tasks);
  if (!isOfMutants) return results.some(({ hasFailed }) => hasFailed) ? 1 : 0;

  const killed = results.filter(({ isMutantKilled }) => isMutantKilled).length;
  print(`${killed} of ${results.length} mutants killed.`);
  const isEnough = killed * 100 >= results.length * minKilledPercent;
  return isEnough && !results.some(({ hasFailed }) => hasFailed) ? 0 : 1;
}

/** Two threads, because a simulation keeps a processor busy. */
async function runAll(tasks: Task[]): Promise<Result[]> {
  const open = [...tasks];
  const results: Result[] = [];
  const work = async () => {
    const worker = new Worker(new URL(import.meta.url));
    for (let task = open.shift(); task; task = open.shift()) {
      const response = once(worker, 'message');
      worker.postMessage(task);
      const [result]: Result[] = await response;
      if (!result) continue;
      results.push(result);
      print(result.line);
    }
    await worker.terminate();
  };
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, work));
  return results;
}

async function runTask({ scope = '', mutant }: Task): Promise<void> {
  parentPort?.postMessage(mutant ? await judge(mutant) : await explore(scope));
}

async function explore(name: string): Promise<Result> {
  const scope = scopes[name];
  if (!scope) throw new Error(`There is no scope ${name}.`);
  const startService = await loadService();
  const startedAtMs = Date.now();
  const { runs, states, orderings, violation } = scope.randomWalks
    ? await walkAtRandom(scope, startService, { walks: scope.randomWalks, seed: randomSeed })
    : await exploreAll(scope, startService);
  const seconds = ((Date.now() - startedAtMs) / 1000).toFixed(1);
  if (violation) {
    const shortest = scope.randomWalks ? undefined : await findShortest(scope, startService);
    return { line: violationText(name, shortest ?? violation), hasFailed: true };
  }
  const paths = orderings.toLocaleString('en', { maximumSignificantDigits: 3 });
  const counts = `${states.toLocaleString('en')} states, ${paths} orderings, ${runs.toLocaleString('en')} runs`;
  return { line: `${name}: ${scope.title}: ${counts}, ${seconds} s`, hasFailed: false };
}

function violationText(name: string, { schedule, trace, broken }: Violation): string {
  const command = `npm run test:simulation -- --replay ${name}:${schedule.join('.')}`;
  return [`${name}: A PROMISE IS BROKEN`, ...broken, 'after:', ...trace, command].join('\n  ');
}

/** Explores the scopes of a mutant until one of them finds a violation. */
async function judge(name: string): Promise<Result> {
  const mutant = mutants[name];
  if (!mutant) throw new Error(`There is no mutant ${name}.`);
  const startService = await loadService(mutant);
  for (const scopeName of mutant.scopes) {
    const scope = scopes[scopeName];
    if (!scope) throw new Error(`There is no scope ${scopeName}.`);
    // Most mistakes show soon at random. Depth first, some show only at the end.
    const walks = { walks: walksPerMutant, seed: randomSeed };
    const atRandom = await walkAtRandom(scope, startService, walks);
    const { violation } = atRandom.violation ? atRandom : await exploreAll(scope, startService);
    if (violation) {
      const line = `killed by ${scopeName}: ${name}: ${violation.broken[0]}`;
      return { line, hasFailed: mutant.reasonToSurvive !== undefined, isMutantKilled: true };
    }
  }
  const reason = mutant.reasonToSurvive ?? 'NO REASON IS KNOWN';
  return {
    line: `SURVIVES: ${name}: ${reason}`,
    hasFailed: !mutant.reasonToSurvive,
    isMutantKilled: false,
  };
}

async function replay(text: string): Promise<number> {
  const [name = '', steps = ''] = text.split(':');
  const scope = scopes[name];
  if (!scope) throw new UsageError(`There is no scope ${name}.`);
  const schedule = steps.split('.').filter(Boolean).map(Number);
  const world = await runSchedule(scope, await loadService(), schedule, { logLevel: 'INFO' });
  const choices = world.labels();
  if (choices.length > 0) print(`Next: ${choices.map((label, i) => `${i} ${label}`).join('; ')}`);
  const broken = choices.length > 0 ? [] : await brokenPromises(world);
  print(broken.join('\n'));
  return broken.length > 0 ? 1 : 0;
}

if (import.meta.main) {
  if (isMainThread) await runCommand(simulation);
  else parentPort?.on('message', runTask);
}
