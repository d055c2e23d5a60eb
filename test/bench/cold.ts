import assert from 'node:assert/strict';
import { runCommand, wholeNumber } from '../../infra/tools/command.ts';
import { installPackages } from '../helpers/installPackages.ts';
import { pinHarness, prepareCpuShare, removeCpuShare, wholeProcessorMb } from './cold/cpuShare.ts';
import { startEngine } from './cold/engine.ts';
import { runFunction } from './cold/runFunction.ts';
import { chosenVariants, defineBench } from './defineBench.ts';
import { printReport, showRound } from './report.ts';
import {
  checkResponse,
  type MeasuredOperation,
  measuredOperations,
  requestEvent,
} from './requests.ts';
import { median, shuffled } from './stats.ts';
import { buildVariants, coldVariants, type Variant } from './variants.ts';

export const cold = defineBench(
  'bench:cold',
  'Measures cold starts: from the start of the process to the first response.',
  coldVariants,
  15,
)
  .option(
    '--memory <sizes>',
    'sizes of the function in MB, which decide its share of a processor',
    (text) => text.split(',').map(wholeNumber(128, 10_240)),
    [wholeProcessorMb, 512],
  )
  .option(
    '--requests <number>',
    'requests that each function handles after the first; the last half shows as “warm”',
    wholeNumber(0, 9_999),
    0,
  )
  .action(measureColdStarts);

type Times = { initMs: number; firstMs: number; totalMs: number; warmMs: number };

/** The times of each round, by variant, operation and size. */
type Runs = Map<string, Times[]>;

async function measureColdStarts(options: ReturnType<typeof cold.opts>): Promise<void> {
  const { rounds, memory: sizes, requests } = options;
  const variants = await chosenVariants(coldVariants, options);
  installPackages(import.meta.dirname);
  const deploymentOf = await buildVariants(variants);
  pinHarness();
  if (sizes.some((memoryMb) => memoryMb < wholeProcessorMb)) prepareCpuShare();
  const { environment, apiKey, stop } = await startEngine();
  const run = async (
    variant: Variant,
    operation: MeasuredOperation,
    memoryMb: number,
    keys: readonly string[],
  ) => {
    const start = { deployment: deploymentOf(variant, operation), environment, memoryMb };
    const events = keys.map((key) => requestEvent(operation, key));
    const { initMs, invocations } = await runFunction(start, events);
    if (variant.isEmpty) return { initMs, invocations };
    checkResponse(operation, invocations[0]?.response ?? assert.fail());
    return { initMs, invocations };
  };

  const runs: Runs = new Map();
  try {
    await checkVariants();
    for (let round = 1; round <= rounds; round += 1) {
      for (const memoryMb of sizes) {
        for (const operation of measuredOperations) {
          for (const variant of shuffled(variants)) {
            const keys = Array<string>(1 + requests).fill(apiKey);
            const { initMs, invocations } = await run(variant, operation, memoryMb, keys);
            const [firstMs = Number.NaN, ...laterMs] = invocations.map(({ ms }) => ms);
            const warmMs = median(laterMs.slice(laterMs.length / 2));
            const times = { initMs, firstMs, totalMs: initMs + firstMs, warmMs };
            const key = keyOf(variant, operation, memoryMb);
            runs.set(key, [...(runs.get(key) ?? []), times]);
          }
        }
      }
      showRound(round, rounds);
    }
  } finally {
    stop();
    removeCpuShare();
  }

  /** Each lists the same text, and refuses a wrong key. */
  async function checkVariants(): Promise<void> {
    const lists = new Set<string | undefined>();
    for (const variant of variants.filter(({ isEmpty }) => !isEmpty)) {
      const { invocations } = await run(variant, 'listPets', wholeProcessorMb, [apiKey, 'none']);
      const [listed, refused] = invocations.map(({ response }) => response);
      lists.add(listed?.body);
      assert.equal(refused?.statusCode, 401, `${variant.name} accepted a wrong key.`);
      assert.equal(lists.size, 1, `${variant.name} lists other pets than those before.`);
    }
  }

  report({ runs, variants, sizes, rounds, hasWarm: requests > 0 });
}

type Report = {
  runs: Runs;
  variants: readonly Variant[];
  sizes: readonly number[];
  rounds: number;
  hasWarm: boolean;
};

function report({ runs, variants, sizes, rounds, hasWarm }: Report): void {
  const service = variants[0] ?? assert.fail();
  const head = measuredOperations.flatMap((operation) => [
    `${operation}: init`,
    'first',
    'total',
    'service ÷ this',
    ...(hasWarm ? ['warm'] : []),
  ]);
  const rows = sizes.flatMap((memoryMb) =>
    variants.map((variant) => [
      `${memoryMb} MB`,
      variant.description,
      ...measuredOperations.flatMap((operation) => {
        const timesOf = (each: Variant, part: keyof Times) =>
          (runs.get(keyOf(each, operation, memoryMb)) ?? []).map((times) => times[part]);
        const totalsMs = timesOf(variant, 'totalMs');
        const ratios = timesOf(service, 'totalMs').map((ms, round) => ms / (totalsMs[round] ?? 0));
        return [
          median(timesOf(variant, 'initMs')).toFixed(1),
          median(timesOf(variant, 'firstMs')).toFixed(1),
          median(totalsMs).toFixed(1),
          median(ratios).toFixed(2),
          ...(hasWarm ? [median(timesOf(variant, 'warmMs')).toFixed(1)] : []),
        ];
      }),
    ]),
  );
  printReport(`Cold starts in ms, medians of ${rounds} rounds`, ['Memory', '', ...head], rows);
}

function keyOf({ name }: Variant, operation: MeasuredOperation, memoryMb: number): string {
  return `${name} ${operation} ${memoryMb}`;
}

if (import.meta.main) await runCommand(cold);
