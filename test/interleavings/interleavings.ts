import { defineCommand, print, runCommand, wholeNumber } from '../../infra/tools/command.ts';
import { checkInterleavings } from './checkInterleavings.ts';
import { scenarios } from './scenarios.ts';
import { loadService } from './startInstance.ts';

export const interleavings = defineCommand(
  'test:interleavings',
  'Runs the handlers in many orders with many faults, and checks the promises of docs/consistency.md.',
)
  .argument('[scenarios...]', 'only these scenarios')
  .option('--runs <number>', 'runs of each scenario', wholeNumber(1, 999_999), 200)
  .option('--seed <number>', 'the same runs again', wholeNumber(0, 2 ** 31))
  .option('--path <path>', 'one of these runs')
  .action(async (names, { runs: numRuns, seed = Date.now() % 2 ** 31, path }) => {
    const startInstance = await loadService();
    for (const name of names.length > 0 ? names : Object.keys(scenarios)) {
      await checkInterleavings(name, startInstance, { numRuns, seed, ...(path && { path }) });
      print(`${name}: ${numRuns} runs with seed ${seed} kept every promise`);
    }
  });

if (import.meta.main) await runCommand(interleavings);
