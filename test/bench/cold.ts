import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Option } from '@commander-js/extra-typings';
import { namesOf, runCommand } from '../../infra/tools/command.ts';
import {
  type CpuShare,
  cpuShares,
  pinHarness,
  prepareCpuShare,
  removeCpuShare,
} from './cpuShare.ts';
import { defineBench, planBench, shuffled } from './defineBench.ts';
import { startEngine } from './engine.ts';
import { installPackages } from './installPackages.ts';
import { type FunctionResponse, RuntimeApi, startFunction } from './lambdaRuntime.ts';
import { coldReport, leverReport, publish, type Run } from './performanceReport.ts';
import {
  checkCreated,
  checkListed,
  type MeasuredOperation,
  measuredOperations,
  requestEvent,
} from './requests.ts';
import { buildVariants, coldVariants, type Variant } from './variants.ts';

// Measures from the start of the process to the first response, through Lambda's own runtime client.

export const cold = defineBench('bench:cold', coldVariants)
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
    await withTarget(variants, cpus, async (target) => {
      for (let round = 1; round <= rounds; round += 1) {
        for (const share of cpus) {
          for (const operation of measuredOperations) {
            for (const variant of shuffled(variants)) {
              runs.push(await measure(target, variant, operation, share));
            }
          }
        }
        showRound(round, rounds);
      }
    });
    const tables = leftOut ? leverReport(runs, leftOut) : coldReport(runs, variants);
    publish(tables, { section: leftOut ? 'cold levers' : 'cold', rounds, isWritten });
  });

export function showRound(round: number, rounds: number): void {
  process.stderr.write(`\rround ${round} of ${rounds}${round === rounds ? '\n' : ''}`);
}

/** What is measured. */
export type Target = {
  deploymentOf: Awaited<ReturnType<typeof buildVariants>>;
  engine: Awaited<ReturnType<typeof startEngine>>;
};

/** Builds and checks the variants, starts an engine for them, and ends it after the measurement. */
export async function withTarget(
  variants: readonly Variant[],
  cpus: readonly CpuShare[],
  measureAll: (target: Target) => Promise<void>,
): Promise<void> {
  // aws-lambda-ric compiles its HTTP client for minutes, with a C++ compiler and cmake.
  installPackages(import.meta.dirname);
  pinHarness();
  if (cpus.some((share) => share !== 'full')) prepareCpuShare();
  const deploymentOf = await buildVariants(variants, 'cold');
  const engine = await startEngine();
  const target: Target = { deploymentOf, engine };
  try {
    await checkVariants(target, variants);
    await measureAll(target);
  } finally {
    engine.stop();
    removeCpuShare();
  }
}

/** Starts a function, sends it requests, and ends it. */
export async function run(
  { deploymentOf, engine }: Target,
  variant: Variant,
  operation: MeasuredOperation,
  share: CpuShare,
  events: unknown[],
) {
  const deployment = deploymentOf(variant, operation);
  const runtimeApi = await RuntimeApi.start();
  const startedAtMs = performance.now();
  const child = startFunction({
    deployment,
    environment: engine.environment,
    runtimeApi,
    cpu: share,
  });
  let errors = '';
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  const closed = once(child, 'close');
  const died = closed.then(() => Promise.reject(new Error(`${variant.name} ended: ${errors}`)));
  died.catch(() => {});
  try {
    const invocations = [];
    for (const event of events) {
      invocations.push(await Promise.race([runtimeApi.invoke(event), died]));
    }
    return { initMs: runtimeApi.readyAtMs - startedAtMs, invocations };
  } finally {
    child.kill('SIGKILL');
    await closed;
    runtimeApi.stop();
  }
}

async function measure(
  target: Target,
  variant: Variant,
  operation: MeasuredOperation,
  share: CpuShare,
): Promise<Run> {
  const event = requestEvent(operation, target.engine.apiKey);
  const { initMs, invocations } = await run(target, variant, operation, share, [event]);
  const [{ sentAtMs, respondedAtMs, response } = assert.fail()] = invocations;
  assert(response.statusCode < 300, `${variant.name}: ${response.body}`);
  const invocationMs = respondedAtMs - sentAtMs;
  // Not from end to end: in between, the bench may move the process into its control group.
  const totalMs = initMs + invocationMs;
  return { variant: variant.name, operation, cpu: share, initMs, invocationMs, totalMs };
}

/**
 * Checks that each variant does the work before anything is timed.
 *
 * Each creates pets with all of their digits and increasing ids, lists the same text, and refuses a
 * wrong key. Each runs in the same runtime client as when it is timed.
 */
async function checkVariants(target: Target, variants: readonly Variant[]): Promise<void> {
  const { apiKey } = target.engine;
  const lists = new Map<string, string>();
  let lastId = 0n;
  for (const variant of variants) {
    const [created, createdNext, refused] = await responses(target, variant, 'createPet', [
      requestEvent('createPet', apiKey),
      requestEvent('createPet', apiKey),
      requestEvent('createPet', `${apiKey}x`),
    ]);
    const [listed] = await responses(target, variant, 'listPets', [
      requestEvent('listPets', apiKey, { limit: '100' }),
    ]);
    if (!variant.isService) continue;

    for (const response of [created, createdNext]) {
      const id = checkCreated(response ?? assert.fail());
      assert(id > lastId, `${variant.name} used the id ${id} twice.`);
      lastId = id;
    }
    assert.equal(refused?.statusCode, 401, `${variant.name} accepted a wrong key.`);
    lists.set(checkListed(listed ?? assert.fail()), variant.name);
  }
  assert(lists.size <= 1, `These lists differ: ${[...lists.values()].join(', ')}`);
}

async function responses(
  target: Target,
  variant: Variant,
  operation: MeasuredOperation,
  events: unknown[],
): Promise<FunctionResponse[]> {
  const { invocations } = await run(target, variant, operation, 'full', events);
  return invocations.map(({ response }) => response);
}

if (import.meta.main) await runCommand(cold);
