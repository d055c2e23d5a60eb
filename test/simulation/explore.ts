import { pick, seededRandom } from '../chaos/seededRandom.ts';
import type { Memory } from './Instance.ts';
import { brokenPromises } from './invariants.ts';
import type { StartService } from './loadService.ts';
import type { Scope } from './Scope.ts';
import { World } from './World.ts';

export type Violation = { schedule: number[]; trace: string[]; broken: string[] };

export type Exploration = {
  runs: number;
  states: number;
  /** Paths through the states from the beginning to an end. Their number fits no integer. */
  orderings: number;
  violation?: Violation;
};

/** A place with a choice on the current path. */
type Fork = { state: string; width: number; taken: number; orderings: number };

/**
 * Explores all orderings of a scope, depth first.
 *
 * Each run starts at the beginning and replays its choices. It stops at a state that is known,
 * because everything that can follow was explored from there. It ends at the first violation.
 */
export async function exploreAll(scope: Scope, startService: StartService): Promise<Exploration> {
  const orderingsFrom = new Map<string, number>();
  const path: Fork[] = [];
  const memory: Memory = new Map();
  for (let runs = 1; ; runs += 1) {
    const world = new World(scope, startService, { memory });
    const { orderings, broken } = await followPath(world, path, orderingsFrom).catch(asBroken);
    if (broken.length > 0) {
      const violation = { schedule: path.map(({ taken }) => taken), trace: world.trace, broken };
      return { runs, states: orderingsFrom.size, orderings: Number.NaN, violation };
    }
    const orderingsInAll = goBack(path, orderings, orderingsFrom);
    if (orderingsInAll) return { runs, states: orderingsFrom.size, orderings: orderingsInAll };
  }
}

/** Replays a path and extends it by first choices, to an end or to a state that is known. */
async function followPath(world: World, path: Fork[], orderingsFrom: Map<string, number>) {
  await world.begin();
  for (const { width, taken } of path) {
    if (world.choices().length !== width) throw new Error('The same choices led elsewhere.');
    await world.take(taken);
  }
  for (;;) {
    const width = world.choices().length;
    if (width === 0) return { orderings: 1, broken: await brokenPromises(world) };
    const state = world.state();
    const orderings = orderingsFrom.get(state);
    if (orderings !== undefined) return { orderings, broken: [] };
    path.push({ state, width, taken: 0, orderings: 0 });
    await world.take(0);
  }
}

/** Moves a path on to its next choice. Returns the number of orderings if there is none. */
function goBack(
  path: Fork[],
  orderings: number,
  orderingsFrom: Map<string, number>,
): number | undefined {
  let orderingsBelow = orderings;
  for (let fork = path.at(-1); fork; fork = path.at(-1)) {
    fork.orderings += orderingsBelow;
    fork.taken += 1;
    if (fork.taken < fork.width) return undefined;
    orderingsFrom.set(fork.state, fork.orderings);
    orderingsBelow = fork.orderings;
    path.pop();
  }
  return orderingsBelow;
}

function asBroken(error: Error) {
  return { orderings: 0, broken: [String(error)] };
}

/** Finds a violation with the fewest choices: breadth first, over the same states. */
export async function findShortest(
  scope: Scope,
  startService: StartService,
): Promise<Violation | undefined> {
  const seen = new Set<string>();
  const queue: number[][] = [[]];
  const memory: Memory = new Map();
  for (let schedule = queue.shift(); schedule; schedule = queue.shift()) {
    const world = await runSchedule(scope, startService, schedule, { memory });
    const { length } = world.choices();
    const broken = length === 0 ? await brokenPromises(world) : [];
    if (broken.length > 0) return { schedule, trace: world.trace, broken };
    const state = world.state();
    if (length === 0 || seen.has(state)) continue;
    seen.add(state);
    for (let index = 0; index < length; index += 1) queue.push([...schedule, index]);
  }
  return undefined;
}

/** Runs one schedule: at each place with a choice, the number of the one to take. */
export async function runSchedule(
  scope: Scope,
  startService: StartService,
  schedule: number[],
  options: { logLevel?: string; memory?: Memory } = {},
): Promise<World> {
  const world = new World(scope, startService, options);
  await world.begin();
  for (const index of schedule) await world.take(index);
  return world;
}

/** Walks through a scope at random, with the same choices for the same seed. */
export async function walkAtRandom(
  scope: Scope,
  startService: StartService,
  { walks, seed }: { walks: number; seed: number },
): Promise<Exploration> {
  const random = seededRandom(seed);
  const states = new Set<string>();
  const memory: Memory = new Map();
  for (let runs = 1; runs <= walks; runs += 1) {
    const world = new World(scope, startService, { memory });
    const schedule: number[] = [];
    const { broken } = await walk(world, schedule, random, states).catch(asBroken);
    if (broken.length > 0) {
      const violation = { schedule, trace: world.trace, broken };
      return { runs, states: states.size, orderings: runs, violation };
    }
  }
  return { runs: walks, states: states.size, orderings: walks };
}

async function walk(
  world: World,
  schedule: number[],
  random: () => number,
  states: Set<string>,
): Promise<{ broken: string[] }> {
  await world.begin();
  for (let { length } = world.choices(); length > 0; { length } = world.choices()) {
    states.add(world.state());
    const [first = 0, ...others] = Array.from({ length }, (_, index) => index);
    const index = pick(random, [first, ...others]);
    schedule.push(index);
    await world.take(index);
  }
  return { broken: await brokenPromises(world) };
}
