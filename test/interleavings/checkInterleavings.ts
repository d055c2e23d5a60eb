import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { brokenPromises } from './brokenPromises.ts';
import { faultKinds } from './faults.ts';
import { type Scenario, scenarios } from './scenarios.ts';
import type { StartInstance } from './startInstance.ts';
import { World } from './World.ts';

const faults = fc.array(
  fc.record({
    atCall: fc.nat(15),
    // The SDK sends a call three times.
    calls: fc.constantFrom(1, 3),
    kind: fc.constantFrom(...faultKinds),
  }),
  { maxLength: 3 },
);

/** The runs of a scenario. A path repeats one of them. */
export type Runs = { numRuns: number; seed: number; path?: string };

/**
 * Runs a scenario in many orders and with many faults.
 *
 * Throws an error with the trace of the shortest run that breaks a promise. `inspect` sees the world at
 * the end of each run.
 */
export async function checkInterleavings(
  name: string,
  startInstance: StartInstance,
  runs: Runs,
  inspect: (world: World) => Promise<void> = async () => {},
): Promise<void> {
  const scenario: Scenario | undefined = scenarios[name];
  if (!scenario) throw new Error(`There is no scenario "${name}".`);
  const scheduler = fc.scheduler({ act: takeStep });
  const property = fc.asyncProperty(
    scheduler,
    scenario,
    faults,
    async (order, run, faultsOfRun) => {
      const world = new World(order, startInstance, faultsOfRun);
      await order.waitFor(run(world));
      await order.waitIdle();
      const broken = await brokenPromises(world);
      if (broken.length > 0) throw new Error([...broken, 'after:', ...world.trace].join('\n  '));
      await inspect(world);
    },
  );

  const { setTimeout } = globalThis;
  // The SDK waits before a retry. Here that takes no time.
  globalThis.setTimeout = ((callback: () => void) => setImmediate(callback)) as never;
  try {
    const { failed, errorInstance, seed, counterexamplePath } = await fc.check(property, runs);
    if (!failed) return;
    const command = `npm run test:interleavings -- "${name}" --seed ${seed} --path ${counterexamplePath}`;
    throw new Error(`${name}: ${(errorInstance as Error).message}\n  ${command}`);
  } finally {
    globalThis.setTimeout = setTimeout;
  }
}

/** Lets the code run until it waits for the scheduler. */
async function takeStep(step: () => Promise<unknown>): Promise<void> {
  await step();
  await nextTurn();
  await nextTurn();
}
