import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { brokenPromises } from './brokenPromises.ts';
import { coverageOf, type Point } from './coverage.ts';
import { faultKinds } from './faults.ts';
import { Simulation } from './Simulation.ts';
import { type ScenarioName, scenarios } from './scenarios.ts';
import type { StartInstance } from './startInstance.ts';

const faults = fc.array(
  fc.record({
    atCall: fc.nat(11),
    // The SDK sends a call three times.
    calls: fc.constantFrom(1, 3),
    kind: fc.constantFrom(...faultKinds),
  }),
  { maxLength: 3 },
);

/** The runs of a scenario. A path repeats one of them. */
export type Runs = { numRuns: number; seed: number; path?: string };

/** The number of runs that reached each point. */
export type Reached = Map<Point, number>;

/**
 * Runs a scenario in many orders and with many faults, and returns what they reached.
 *
 * Throws an error with the trace of the shortest run that breaks a promise. `inspect` sees the simulation at
 * the end of each run.
 */
export async function checkInterleavings(
  name: ScenarioName,
  startInstance: StartInstance,
  runs: Runs,
  inspect: (simulation: Simulation) => void = () => {},
): Promise<Reached> {
  const reached: Reached = new Map();
  const scheduler = fc.scheduler({ act: takeStep });
  const property = fc.asyncProperty(
    scheduler,
    scenarios[name].run,
    faults,
    async (order, run, faultsOfRun) => {
      const simulation = new Simulation(order, startInstance, faultsOfRun);
      await order.waitFor(run(simulation));
      await order.waitIdle();
      for (const point of coverageOf(simulation)) reached.set(point, (reached.get(point) ?? 0) + 1);
      const broken = await brokenPromises(simulation);
      if (broken.length > 0)
        throw new Error([...broken, 'after:', ...simulation.trace].join('\n  '));
      inspect(simulation);
    },
  );

  const { setTimeout } = globalThis;
  // The SDK waits before a retry. Here that takes no time.
  globalThis.setTimeout = ((callback: () => void, _ms: number, ...values: []) =>
    setImmediate(callback, ...values)) as never;
  try {
    const { failed, errorInstance, seed, counterexamplePath } = await fc.check(property, runs);
    if (!failed) return reached;
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

/** Throws if no run of a scenario reached one of the points that it is there for. */
export function assertReached(name: ScenarioName, { numRuns }: Runs, reached: Reached): void {
  const missed = scenarios[name].points.filter((point) => !reached.has(point));
  if (missed.length === 0) return;
  throw new Error(`"${name}" never reached this in ${numRuns} runs: ${missed.join(', ')}`);
}
