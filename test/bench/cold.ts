import assert from 'node:assert/strict';
import { Option } from '@commander-js/extra-typings';
import { namesOf, runCommand } from '../../infra/tools/command.ts';
import { type CpuShare, cpuShares } from './cold/cpuShare.ts';
import { type Functions, runFunction, withFunctions } from './cold/runFunction.ts';
import { defineBench, planBench, shuffled } from './defineBench.ts';
import { coldReport, leverReport, publish, type Run } from './performanceReport.ts';
import { showRound } from './report.ts';
import { type MeasuredOperation, measuredOperations, requestEvent } from './requests.ts';
import { coldVariants, type Variant } from './variants.ts';

// Measures from the start of the process to the first response, through Lambda's own runtime client.

export const cold = defineBench(
  'bench:cold',
  'Measures the cold starts of the functions.',
  coldVariants,
)
  .addOption(
    new Option('--cpu <shares>', `only these shares of a processor: ${cpuShares.join(',')}`)
      .argParser(namesOf(cpuShares))
      .conflicts('write'),
  )
  .action(async (options) => {
    const { rounds, write: isWritten = false } = options;
    const { variants, leftOut } = planBench('bench:cold', coldVariants, options);
    const cpus = options.cpu ?? (leftOut ? (['full', '512 MB'] as const) : cpuShares);

    const runs: Run[] = [];
    await withFunctions(variants, cpus, async (functions) => {
      for (let round = 1; round <= rounds; round += 1) {
        for (const share of cpus) {
          for (const operation of measuredOperations) {
            for (const variant of shuffled(variants)) {
              runs.push(await measure(functions, variant, operation, share));
            }
          }
        }
        showRound(round, rounds);
      }
    });
    const tables = leftOut ? leverReport(runs, leftOut) : coldReport(runs, variants);
    publish(tables, { section: leftOut ? 'cold levers' : 'cold', rounds, isWritten });
  });

async function measure(
  functions: Functions,
  variant: Variant,
  operation: MeasuredOperation,
  share: CpuShare,
): Promise<Run> {
  const event = requestEvent(operation, functions.engine.apiKey);
  const { initMs, invocations } = await runFunction(functions, variant, operation, share, [event]);
  const [{ sentAtMs, respondedAtMs, response } = assert.fail()] = invocations;
  assert(response.statusCode < 300, `${variant.name}: ${response.body}`);
  const invocationMs = respondedAtMs - sentAtMs;
  // Not from end to end: in between, the bench may move the process into its control group.
  const totalMs = initMs + invocationMs;
  return { variant: variant.name, operation, cpu: share, initMs, invocationMs, totalMs };
}

if (import.meta.main) await runCommand(cold);
