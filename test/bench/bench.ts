import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { cpus, release } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { bundleOptions } from '../../infra/bundle/bundleOptions.ts';
import { createApiKey } from '../../lib/apiKeys/apiKey.ts';
import { defineCommand, parseFolder, parseWholeNumber, print } from '../../tools/command.ts';
import { type MeasuredRequests, requestsWith } from './requests.ts';
import { buildFolder, startDatabase } from './startDatabase.ts';
import { pinBench, startFunction } from './startFunction.ts';

// No library measures this: tinybench, on which `vitest bench` is built, and mitata time functions inside one
// process, one after the other. A cold start needs a new process, and a fair ratio needs rounds.

/** Lambda gives CPU time in proportion to memory: a whole processor at 1,769 MB. */
const starts = [
  { title: 'cold start with 512 MB', processorShare: 512 / 1_769 },
  { title: 'cold start with a whole processor', processorShare: 1 },
];

/** V8 compiles most of the code in this time. */
const requestsUntilWarm = 2_500;
const warmRequests = 500;

/** Fewer rounds do not show how far the times spread. */
const fewestRounds = 6;

export const bench = defineCommand(
  'bench',
  'Compares cold starts, and the CPU time of warm requests, with those of another copy of the project.',
)
  .requiredOption('--against <folder>', 'the other copy, after npm ci', parseFolder)
  .option('--rounds <number>', 'how often', parseWholeNumber(fewestRounds, 9_999), 20)
  .addHelpText(
    'after',
    `
It needs Linux, openssl, root and an idle machine. A gain is real if its interval excludes 1, and if it is at
least twice the difference between two unchanged copies. Never compare the times of two machines.`,
  )
  .action(async ({ rounds, against }) => {
    const variants = [bundleOptions, await bundleOptionsOf(against)];
    const apiKey = createApiKey('bench');
    const measured = await Promise.all(
      requestsWith(apiKey).map(async (requests) => ({
        requests,
        files: await Promise.all(
          variants.map(async (optionsOf, variant) => {
            const outfile = join(buildFolder, String(variant), requests.operation, 'index.mjs');
            await build({ ...optionsOf(requests.operation), outfile });
            return outfile;
          }),
        ),
      })),
    );
    pinBench();
    const databaseEnvironment = await startDatabase(apiKey);
    /** By what is measured: the times of each variant, in the order of the rounds. */
    const rows: Record<string, number[][]> = {};
    for (let round = 1; round <= rounds; round += 1) {
      for (const { requests, files } of measured) {
        // Each round has another order, so that disturbances affect all variants alike.
        for (const [variant, file] of shuffled([...files.entries()])) {
          const times = await measure(file, requests, databaseEnvironment);
          for (const [title, time] of Object.entries(times)) {
            rows[title] ??= variants.map(() => []);
            rows[title][variant]?.push(time);
          }
        }
      }
      process.stderr.write(`\rround ${round} of ${rounds}${round === rounds ? '\n' : ''}`);
    }
    const [cpu] = cpus();
    const machine = `${cpus().length} × ${cpu?.model.trim()}, Linux ${release()}`;
    print(`${machine}, Node.js ${process.version}, medians of ${rounds} rounds:\n`);
    print(`| | this copy | ${against} | this copy ÷ ${against} |`);
    print('| --- | ---: | ---: | ---: |');
    for (const [title, [own = [], other = []]] of Object.entries(rows)) {
      const medians = [own, other].map((times) => median(times).toFixed(0));
      print(`| ${[title, ...medians, ratioText(own, other)].join(' | ')} |`);
    }
  });

async function bundleOptionsOf(folder: string): Promise<typeof bundleOptions> {
  const file = resolve(folder, 'infra/bundle/bundleOptions.ts');
  return (await import(file)).bundleOptions;
}

/** Returns the times until the first response of new processes, and the CPU time of a warm request. */
async function measure(
  file: string,
  { operation, first, warm }: MeasuredRequests,
  databaseEnvironment: Record<string, string>,
): Promise<Record<string, number>> {
  const times: Record<string, number> = {};
  for (const { title, processorShare } of starts) {
    const { initMs, send, stop } = await startFunction(file, processorShare, databaseEnvironment);
    try {
      const sentAtMs = performance.now();
      const { body } = await send(first.event);
      times[`${operation}, ${title}, ms`] = initMs + performance.now() - sentAtMs;
      assert.equal(body, first.body);
      if (processorShare < 1) continue;
      await send(warm.event, requestsUntilWarm);
      const last = await send(warm.event, warmRequests);
      times[`${warm.title}, CPU time of a warm request, µs`] = last.cpuUs;
      assert.equal(last.body, warm.body);
    } finally {
      await stop();
    }
  }
  return times;
}

/**
 * Returns the ratio of the medians, and its 95 % confidence interval: the ratios of rounds that are drawn
 * again and again from those measured (bootstrap). It assumes no distribution.
 */
function ratioText(own: readonly number[], other: readonly number[]): string {
  const medianIn = (rounds: readonly number[], times: readonly number[]) =>
    median(rounds.map((round) => times[round] ?? Number.NaN));
  const ratioIn = (rounds: readonly number[]) => medianIn(rounds, own) / medianIn(rounds, other);
  const rounds = [...own.keys()];
  const ratios = Array.from({ length: 2_000 }, () =>
    ratioIn(rounds.map(() => randomInt(rounds.length))),
  ).sort(ascending);
  // 2.5 % of the ratios are below the interval, and 2.5 % above.
  const [low, high] = [ratios.at(50), ratios.at(-51)].map((ratio) => ratio?.toFixed(2));
  return `${ratioIn(rounds).toFixed(2)} (${low} to ${high})`;
}

/** Returns the middle value, or the mean of the two middle values. */
function median(values: readonly number[]): number {
  const sorted = values.toSorted(ascending);
  const middle = sorted.slice((sorted.length - 1) >> 1, (sorted.length >> 1) + 1);
  return middle.reduce((sum, value) => sum + value, 0) / middle.length;
}

function ascending(a: number, b: number): number {
  return a - b;
}

function shuffled<T>(list: readonly T[]): T[] {
  const placed = list.map((value) => ({ value, place: Math.random() }));
  return placed.sort((a, b) => a.place - b.place).map(({ value }) => value);
}
