import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { defineCommand, print, runCommand, wholeNumber } from '../../infra/tools/command.ts';
import { machine, markdownTable, showRound, writeSection } from './report.ts';
import type { Order, Timed } from './scaleStore.ts';
import { median, quantile, slope } from './stats.ts';

/** After this many requests of a kind, V8 has compiled the code. */
const warmUpCount = 200;

/** Of a kind, in each round and store. */
const requestCount = 20;

/** The folder that keeps the stores for the next run. */
const dataFolder = 'node_modules/.cache/bench-scale';

const storeSize = wholeNumber(1_000, 99_999_999);

export const scale = defineCommand(
  'bench:scale',
  'Times each operation in stores of several sizes.',
)
  .option(
    '--sizes <list>',
    'pets in the stores, 1000 or more',
    (text) => text.split(',').map(storeSize),
    [1_000, 100_000, 1_000_000],
  )
  .option('--rounds <number>', 'rounds, each with every store', wholeNumber(1, 9_999), 30)
  .option('--write', 'update docs/scaling.md')
  .action(measureGrowth);

type Store = { folder: string; child: ChildProcess; kinds: string[] };

/** The results of a kind of request in a round, one of each store. */
type Round = Timed[];

async function measureGrowth(options: ReturnType<typeof scale.opts>): Promise<void> {
  const { sizes, rounds: roundCount, write } = options;
  const stores: Store[] = [];
  for (const petCount of sizes) stores.push(await startStore(petCount));
  const rounds = new Map((stores[0]?.kinds ?? []).map((kind): [string, Round[]] => [kind, []]));
  // Round 0 warms up and does not count.
  for (let round = 0; round <= roundCount; round += 1) {
    for (const [kind, measured] of rounds) {
      const order: Order = { kind, count: round === 0 ? warmUpCount : requestCount };
      const results: Round = [];
      // The stores take turns, so that disturbances of the machine affect all of them.
      for (const { child } of stores) {
        child.send(order);
        const [timed] = await once(child, 'message');
        results.push(timed);
      }
      if (round > 0) measured.push(results);
    }
    showRound(round, roundCount);
  }
  for (const { child, folder } of stores) {
    child.disconnect();
    await once(child, 'exit');
    await rm(folder, { recursive: true });
  }

  const report = `${machine()}; ${roundCount} rounds.\n\n${growthTable(sizes, rounds)}`;
  print(report);
  if (write) writeSection('docs/scaling.md', 'growth', report);
}

/** Builds the store if it is missing, and serves a copy, because measuring adds pets. */
async function startStore(petCount: number): Promise<Store> {
  await mkdir(dataFolder, { recursive: true });
  const built = join(dataFolder, `${petCount}-pets`);
  const folder = `${built}.run`;
  await rm(folder, { recursive: true, force: true });
  if (!existsSync(built)) {
    process.stderr.write(`Building a store of ${petCount} pets in ${built}\n`);
    await once(forkStore('build', folder, petCount), 'exit');
    await rename(folder, built);
  }
  await cp(built, folder, { recursive: true });
  const child = forkStore('serve', folder, petCount);
  const [kinds] = await once(child, 'message');
  return { folder, child, kinds };
}

/** A store that fails has written why, and ends the run. */
function forkStore(task: 'build' | 'serve', folder: string, petCount: number): ChildProcess {
  const { AWS_ENDPOINT_URL_DYNAMODB: _, ...env } = process.env;
  const script = join(import.meta.dirname, 'scaleStore.ts');
  const child = fork(script, [task, folder, String(petCount)], { env });
  child.on('exit', (code) => code !== 0 && process.exit(1));
  return child;
}

/** The medians of all rounds in Markdown, and their growth with each power of ten. */
function growthTable(sizes: readonly number[], kinds: ReadonlyMap<string, Round[]>): string {
  const logarithms = sizes.map(Math.log10);
  const rows = [...kinds].map(([kind, rounds]) => {
    const medians = (part: keyof Timed, digits: number) =>
      sizes.map((_, size) =>
        median(rounds.map((round) => round[size]?.[part] ?? NaN)).toFixed(digits),
      );
    // The growth of each round, as a share of the round's mean.
    const slopes = rounds.map((round) => {
      const mean = round.reduce((sum, { medianMs }) => sum + medianMs, 0) / round.length;
      return slope(round.map(({ medianMs }, size) => [logarithms[size] ?? NaN, medianMs / mean]));
    });
    return [
      kind,
      ...medians('medianMs', 2),
      percent(median(slopes)),
      `${percent(quantile(slopes, 0.25))} to ${percent(quantile(slopes, 0.75))}`,
      [...new Set(medians('unitsPerRequest', 1))].join(' … '),
    ];
  });
  const times = sizes.map((size) => `ms at ${size.toLocaleString('en')} pets`);
  return markdownTable(['Request', ...times, 'Slope', 'Middle half of the slopes', 'Units'], rows);
}

function percent(share: number): string {
  return `${share > 0 ? '+' : ''}${(100 * share).toFixed(1)} %`;
}

if (import.meta.main) await runCommand(scale);
