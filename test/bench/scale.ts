import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { growthReport, type Round } from './scale/growthReport.ts';
import { measuredRequests } from './scale/measuredRequests.ts';
import { StoreProcess } from './scale/StoreProcess.ts';
import { writeSection } from './writeSection.ts';

/** So many requests of a kind and V8 has compiled what it will. */
const warmUpCount = 200;

const usage = `Times each operation in stores of several sizes.

  npm run bench:scale -- [options]

  --sizes <list>    pets in the stores, multiples of 1000   (1000,100000,1000000)
  --rounds <number> rounds, each with every store            (30)
  --count <number>  requests of a kind, store and round      (20)
  --data <folder>   where the stores are kept                (node_modules/.cache/bench-scale)
  --write           put the result into docs/scaling.md
`;

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,100000,1000000' },
    rounds: { type: 'string', default: '30' },
    count: { type: 'string', default: '20' },
    data: { type: 'string', default: 'node_modules/.cache/bench-scale' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (values.help) process.stdout.write(usage);
else await measureGrowth();

async function measureGrowth(): Promise<void> {
  const sizes = values.sizes.split(',').map(Number);
  const stores = await startStores(sizes);
  const rounds: Round[] = [];
  const count = Number(values.count);
  // Round 0 warms up, and is left out.
  for (let round = 0; round <= Number(values.rounds); round += 1) {
    for (const request of measuredRequests) {
      // A B C A B C: what the machine does meanwhile falls on each of them.
      for (const store of stores) {
        const { petCount } = store;
        const timed = await store.measure({ request, count: round === 0 ? warmUpCount : count });
        if (round > 0) rounds.push({ round, request, petCount, ...timed });
      }
    }
    process.stderr.write(`round ${round} of ${values.rounds}\n`);
  }
  for (const store of stores) await store.stop();

  const report = growthReport(rounds);
  process.stdout.write(`${report}\n`);
  if (values.write) writeSection('docs/scaling.md', 'growth', report);
}

async function startStores(sizes: readonly number[]): Promise<StoreProcess[]> {
  await mkdir(values.data, { recursive: true });
  const stores: StoreProcess[] = [];
  for (const petCount of sizes) {
    stores.push(await StoreProcess.start(join(values.data, `${petCount}-pets`), petCount));
  }
  return stores;
}
