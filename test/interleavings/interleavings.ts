import { Argument } from '@commander-js/extra-typings';
import { defineCommand, parseWholeNumber, print } from '../../tools/command.ts';
import { assertReached, checkInterleavings } from './checkInterleavings.ts';
import { scenarioNames } from './scenarios.ts';
import { loadService } from './startInstance.ts';

export const interleavings = defineCommand(
  'test:interleavings',
  'Runs the handlers in many orders with many faults, and checks the promises of docs/guide.',
)
  .addArgument(new Argument('[scenarios...]', 'only these scenarios').choices(scenarioNames))
  .option('--runs <number>', 'runs of each scenario', parseWholeNumber(1, 999_999), 1000)
  .option('--seed <number>', 'the same runs again', parseWholeNumber(0, 2 ** 31))
  .option('--path <path>', 'one of these runs')
  .action(async (names, { runs: numRuns, seed = Date.now() % 2 ** 31, path }) => {
    const startInstance = await loadService();
    const runs = { numRuns, seed, ...(path && { path }) };
    for (const name of names.length > 0 ? names : scenarioNames) {
      const reached = await checkInterleavings(name, startInstance, runs);
      print(`${name}: ${numRuns} runs with seed ${seed} kept every promise`);
      for (const [point, count] of [...reached].sort()) print(`  ${count} × ${point}`);
      if (!path) assertReached(name, runs, reached);
    }
  });
