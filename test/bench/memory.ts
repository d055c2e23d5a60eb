import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { defineCommand, runCommand, wholeNumber } from '../../infra/tools/command.ts';
import { type Functions, runFunction, withFunctions } from './cold/runFunction.ts';
import { networkMs } from './cost/assumptions.ts';
import { cents, gbSecondsOf } from './cost/costs.ts';
import { priceOf } from './cost/prices.ts';
import {
  type MeasuredTimes,
  memorySizes,
  requestTimesFile,
  type Times,
} from './cost/requestTimes.ts';
import { publish } from './performanceReport.ts';
import { markdownTable, showRound } from './report.ts';
import {
  checkCreated,
  checkListed,
  type MeasuredOperation,
  measuredOperations,
  requestEvent,
} from './requests.ts';
import { median, quantile } from './stats.ts';
import { coldVariants } from './variants.ts';

// Measures the service with each size of memory, from which the `memoryMb` of a stage is chosen.

/** The first requests of an instance run code that V8 has not compiled yet. */
const requestsBefore = 100;
const requestsMeasured = 200;

type Runs = Record<MeasuredOperation, Times[]>;

export const memory = defineCommand(
  'bench:memory',
  'Measures the functions with several sizes of memory.',
)
  .option('--rounds <number>', 'cold starts of each size', wholeNumber(1, 9_999), 15)
  .option('--write', `write docs/performance.md and ${requestTimesFile}`)
  .action(async ({ rounds, write: isWritten = false }) => {
    const runsOf = new Map<number, Runs>(
      memorySizes.map((size) => [size, { createPet: [], listPets: [] }]),
    );
    await withFunctions([service], ['512 MB'], async (functions) => {
      for (let round = 1; round <= rounds; round += 1) {
        for (const [memoryMb, runs] of runsOf) {
          for (const operation of measuredOperations) {
            runs[operation].push(await measure(functions, operation, memoryMb));
          }
        }
        showRound(round, rounds);
      }
    });
    const times = Object.fromEntries(
      [...runsOf].map(([memoryMb, { createPet, listPets }]) => [
        memoryMb,
        { createPet: medians(createPet), listPets: medians(listPets) },
      ]),
    );
    publish(memoryTable(times), { section: 'memory', rounds, isWritten });
    if (isWritten) {
      writeFileSync(requestTimesFile, `${JSON.stringify(times, undefined, 2)}\n`);
    }
  });

const service = coldVariants.find(({ name }) => name === 'service') ?? assert.fail();

/** Starts an instance, and sends it requests one after the other. */
async function measure(
  functions: Functions,
  operation: MeasuredOperation,
  memoryMb: number,
): Promise<Times> {
  const query = operation === 'listPets' ? { limit: '100' } : {};
  const event = requestEvent(operation, functions.engine.apiKey, query);
  const events = Array(1 + requestsBefore + requestsMeasured).fill(event);
  const { initMs, invocations } = await runFunction(
    functions,
    service,
    operation,
    `${memoryMb} MB`,
    events,
  );
  const [firstMs = Number.NaN, ...laterMs] = invocations.map((invocation) => {
    if (operation === 'createPet') checkCreated(invocation.response);
    else checkListed(invocation.response);
    return invocation.respondedAtMs - invocation.sentAtMs;
  });
  const warmMs = laterMs.slice(requestsBefore);
  return { initMs, firstMs, warmMs: median(warmMs), slowMs: quantile(warmMs, 0.95) };
}

function medians(runs: readonly Times[]): Times {
  const of = (name: keyof Times) => Number(median(runs.map((run) => run[name])).toFixed(1));
  return {
    initMs: of('initMs'),
    firstMs: of('firstMs'),
    warmMs: of('warmMs'),
    slowMs: of('slowMs'),
  };
}

function memoryTable(times: MeasuredTimes): string {
  const head = ['cold start', 'warm', 'slowest 5 %', 'a million'];
  const rows = Object.entries(times).map(([memoryMb, of]) => [
    `${memoryMb} MB`,
    ...measuredOperations.flatMap((operation) => {
      const { initMs, firstMs, warmMs, slowMs } = of[operation];
      return [
        (initMs + firstMs).toFixed(0),
        warmMs.toFixed(1),
        slowMs.toFixed(1),
        cents(lambdaCost(Number(memoryMb), of[operation])),
      ];
    }),
  ]);
  const columns = measuredOperations.flatMap((operation) =>
    head.map((title, index) => (index === 0 ? `${operation}: ${title}` : title)),
  );
  return `Medians in ms, and what Lambda charges\n\n${markdownTable(['Memory', ...columns], rows)}`;
}

/** Lambda's price of a million requests. */
function lambdaCost(memoryMb: number, { initMs, warmMs }: Times): number {
  const requests = 1_000_000;
  const use = { requests, memoryMb, initMs, durationMs: warmMs + networkMs };
  return priceOf('lambdaRequest', requests) + priceOf('lambdaGbSecond', gbSecondsOf(use));
}

if (import.meta.main) await runCommand(memory);
