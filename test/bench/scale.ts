import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import { makeFolder } from '../../infra/makeFolder.ts';
import { defineCommand, runCommand, wholeNumber } from '../../infra/tools/command.ts';
import { machine, markdownTable, writeSection } from './report.ts';
import { type Kind, kindNames } from './scale/measuredRequests.ts';
import type { Order, Timed } from './scale/store.ts';
import { median, quantile, slope } from './stats.ts';

/** After so many requests of a kind, V8 has compiled the code. */
const warmUpCount = 200;

export const scale = defineCommand('bench:scale')
  .option(
    '--sizes <list>',
    'pets in the stores, multiples of 1000',
    storeSizes,
    [1_000, 100_000, 1_000_000],
  )
  .option('--rounds <number>', 'rounds, each with every store', wholeNumber(1, 9_999), 30)
  .option('--count <number>', 'requests of a kind, store and round', wholeNumber(1, 9_999), 20)
  .option('--data <folder>', 'where the stores are kept', 'node_modules/.cache/bench-scale')
  .option('--write', 'update docs/scaling.md')
  .action(measureGrowth);

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

function storeSizes(text: string): number[] {
  return text.split(',').map((size) => {
    if (/^[1-9]\d{0,4}000$/.test(size)) return Number(size);
    throw new InvalidArgumentError('It takes multiples of 1000 up to 99999000, as in 1000,100000.');
  });
}

/** The result of one kind of request in one store and round. */
type Round = Timed & { round: number; kind: Kind; petCount: number };

type Store = { petCount: number; folder: string; child: ChildProcess };

async function measureGrowth(options: ReturnType<typeof scale.opts>): Promise<void> {
  const { sizes, rounds: roundCount, count, data, write } = options;
  const stores: Store[] = [];
  for (const petCount of sizes) {
    stores.push(await startStore(petCount, data));
  }
  const rounds: Round[] = [];
  // Round 0 warms up and does not count.
  for (let round = 0; round <= roundCount; round += 1) {
    for (const kind of kindNames) {
      // The stores take turns, so that disturbances of the machine affect all of them.
      for (const { child, petCount } of stores) {
        child.send({ kind, count: round === 0 ? warmUpCount : count } satisfies Order);
        const [timed] = (await once(child, 'message')) as [Timed];
        if (round > 0) rounds.push({ round, kind, petCount, ...timed });
      }
    }
    process.stderr.write(`round ${round} of ${roundCount}\n`);
  }
  for (const { child, folder } of stores) {
    child.disconnect();
    await once(child, 'exit');
    await rm(folder, { recursive: true });
  }

  const report = growthReport(rounds);
  process.stdout.write(`${report}\n`);
  if (write) writeSection('docs/scaling.md', 'growth', report);
}

/** Builds the store if it is missing, and serves a copy, because measuring adds pets. */
async function startStore(petCount: number, data: string): Promise<Store> {
  await makeFolder(data);
  const built = join(data, `${petCount}-pets`);
  if (!existsSync(built)) {
    process.stderr.write(`Building a store of ${petCount} pets in ${built}\n`);
    await once(forkStore('build', built, petCount), 'exit');
  }
  const folder = `${built}.run`;
  await rm(folder, { recursive: true, force: true });
  await cp(built, folder, { recursive: true });
  const child = forkStore('serve', folder, petCount);
  await once(child, 'message');
  return { petCount, folder, child };
}

/** A store that fails has written why, and ends the run. */
function forkStore(task: 'build' | 'serve', folder: string, petCount: number): ChildProcess {
  const { AWS_ENDPOINT_URL_DYNAMODB: _, ...env } = process.env;
  const script = join(import.meta.dirname, 'scale/store.ts');
  const child = fork(script, [task, folder, String(petCount)], { env });
  child.on('exit', (code) => code !== 0 && process.exit(1));
  return child;
}

/** The medians of all rounds in Markdown, and their growth with each power of ten. */
function growthReport(rounds: readonly Round[]): string {
  const sizes = [...new Set(rounds.map(({ petCount }) => petCount))];
  const rows = kindNames.map((kind) => {
    const own = rounds.filter((each) => each.kind === kind);
    const bySize = sizes.map((size) => own.filter(({ petCount }) => petCount === size));
    const units = bySize.map((each) => median(each.map((timed) => timed.unitsPerRequest)));
    const slopes = slopesOf(own);
    return [
      kind,
      ...bySize.map((each) => median(each.map(({ medianMs }) => medianMs)).toFixed(2)),
      percent(median(slopes)),
      `${percent(quantile(slopes, 0.25))} to ${percent(quantile(slopes, 0.75))}`,
      [...new Set(units.map((each) => each.toFixed(1)))].join(' … '),
    ];
  });
  const columns = [
    'Request',
    ...sizes.map((size) => `ms at ${whole.format(size)} pets`),
    'Slope',
    'Middle half of the slopes',
    'Units',
  ];
  const roundCount = new Set(rounds.map(({ round }) => round)).size;
  return `${machine()}; ${roundCount} rounds.\n\n${markdownTable(columns, rows)}`;
}

/** For each round, the growth with a power of ten, as a share of the round's mean. */
function slopesOf(rounds: readonly Round[]): number[] {
  const byRound = Map.groupBy(rounds, ({ round }) => round);
  return [...byRound.values()].map((each) => {
    const mean = each.reduce((sum, { medianMs }) => sum + medianMs, 0) / each.length;
    return slope(each.map(({ petCount, medianMs }) => [Math.log10(petCount), medianMs])) / mean;
  });
}

function percent(share: number): string {
  return `${share > 0 ? '+' : ''}${(100 * share).toFixed(1)} %`;
}

if (import.meta.main) await runCommand(scale);
