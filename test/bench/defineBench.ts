import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { createApiKey } from '../../lib/apiKeys/apiKey.ts';
import { defineCommand, parseWholeNumber, print } from '../../tools/command.ts';
import { type MeasuredOperation, type RequestEvent, requestEvent } from './requests.ts';
import { pinBench, startFunction } from './startFunction.ts';
import { buildVariants, service, serviceOf, variants } from './variants.ts';

type Bench = {
  script: string;
  description: string;
  /** The default. */
  rounds: number;
  columns: readonly {
    title: string;
    operation: MeasuredOperation;
    query?: Record<string, string>;
    memoryMb: number;
  }[];
  /** A package that the functions load when they start, not from their bundles. */
  externalPackage?: string;
  /** Starts a database with this API key, and returns the environment of functions that use it. */
  startDatabase(apiKey: string): Promise<Database> | Database;
  /** Measures each function once, and returns a number for each. */
  measureRound(event: RequestEvent, starts: readonly Start[]): Promise<number[]>;
};

type Database = { environment: Record<string, string>; stop?(): void };

export type Start = () => ReturnType<typeof startFunction>;

/** Defines a command that compares the service with the other variants. */
export function defineBench(bench: Bench) {
  return defineCommand(bench.script, bench.description)
    .option(
      '--rounds <number>',
      'how often to measure',
      parseWholeNumber(fewestRounds, 9_999),
      bench.rounds,
    )
    .option('--against <folders...>', 'compare with the service in other copies of the project')
    .action(async ({ rounds, against }) => {
      const compared = against
        ? [service, ...(await Promise.all(against.map(serviceOf)))]
        : variants;
      const fileOf = await buildVariants(compared, bench.externalPackage);
      pinBench();
      const apiKey = createApiKey('bench');
      const database = await bench.startDatabase(apiKey);
      const measured = bench.columns.map(({ title, operation, query, memoryMb }) => ({
        title,
        event: requestEvent(operation, apiKey, query),
        starts: compared.map((variant) => {
          const file = fileOf(variant, operation);
          return () => startFunction(file, memoryMb, database.environment);
        }),
        rounds: [] as number[][],
      }));
      try {
        await assertRefused(requestEvent('createPet', 'none'), measured[0]?.starts ?? []);
        for (let round = 1; round <= rounds; round += 1) {
          for (const { event, starts, rounds } of measured) {
            rounds.push(await bench.measureRound(event, starts));
          }
          process.stderr.write(`\rround ${round} of ${rounds}${round === rounds ? '\n' : ''}`);
        }
      } finally {
        database.stop?.();
      }
      const names = compared.map(({ name }) => name);
      print(`Medians of ${rounds} rounds. ${machine()}.\n`);
      print(tableOf(names, measured));
    });
}

async function assertRefused(event: RequestEvent, starts: readonly Start[]): Promise<void> {
  for (const start of starts) {
    const { handle, stop } = await start();
    const { response } = await handle(event);
    await stop();
    assert.equal(response.statusCode, 401, 'A wrong key was accepted.');
  }
}

function machine(): string {
  const [cpu] = cpus();
  // A virtual machine hides the name of its processor, but not its family and model.
  const text = readFileSync('/proc/cpuinfo', 'utf8');
  const [family, model] = [/cpu family\s*: (\d+)/, /model\s*: (\d+)/].map(
    (id) => id.exec(text)?.[1],
  );
  const memoryGb = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} × ${cpu?.model.trim()} (family ${family}, model ${model}), ${memoryGb} GB, Linux ${release()}, Node.js ${process.version}`;
}

type Measured = { title: string; rounds: readonly (readonly number[])[] };

/**
 * Returns a Markdown table. Each column has the medians, and the ratio of the service to each variant with its
 * 95 % confidence interval.
 */
function tableOf(names: readonly string[], columns: readonly Measured[]): string {
  const rows = names.map((name, index) => [
    name,
    ...columns.flatMap(({ rounds }) => {
      const ratios = rounds.map((values) => at(values, 0) / at(values, index));
      const [low, high] = intervalOf(ratios).map((ratio) => ratio.toFixed(3));
      return [
        median(rounds.map((values) => at(values, index))).toFixed(1),
        index === 0 ? '1' : `${median(ratios).toFixed(3)} (${low} to ${high})`,
      ];
    }),
  ]);
  const head = ['', ...columns.flatMap(({ title }) => [title, '÷'])];
  const line = ['---', ...columns.flatMap(() => ['---:', '---:'])];
  return [head, line, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** The sign test needs this number of rounds for a confidence of 95 %. */
const fewestRounds = 6;

/** Returns the 95 % confidence interval of the median, by the sign test: it assumes no distribution. */
function intervalOf(values: readonly number[]): [low: number, high: number] {
  const sorted = values.toSorted((a, b) => a - b);
  // The number of values below the median is binomial. This is its normal approximation.
  const rank = Math.floor((values.length - 1 - 1.96 * Math.sqrt(values.length)) / 2);
  return [at(sorted, rank), at(sorted, values.length - 1 - rank)];
}

function at(values: readonly number[], index: number): number {
  return values[index] ?? Number.NaN;
}

/** Returns the middle value, or the mean of the two middle values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return (at(sorted, (sorted.length - 1) >> 1) + at(sorted, sorted.length >> 1)) / 2;
}

/** Returns a list in random order. Each round has another order, so that disturbances affect all variants alike. */
export function shuffled<T>(list: Iterable<T>): T[] {
  return [...list]
    .map((value) => ({ value, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ value }) => value);
}
