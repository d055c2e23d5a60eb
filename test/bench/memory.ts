import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineCommand, runCommand, wholeNumber } from '../../infra/tools/command.ts';
import { run, showRound, type Target, withTarget } from './cold.ts';
import { type CpuShare, memoryMbOf } from './cpuShare.ts';
import {
  checkCreated,
  checkListed,
  type MeasuredOperation,
  measuredOperations,
  requestEvent,
} from './requests.ts';
import { median, quantile } from './stats.ts';
import { coldVariants } from './variants.ts';

// Measures the service with the sizes of memory that a stage may choose, see docs/performance.md.

const memories = ['256 MB', '512 MB', '1024 MB', '1769 MB'] as const satisfies CpuShare[];

/** The first requests of an instance run code that V8 has not compiled yet. */
const requestsBefore = 100;
const requestsMeasured = 200;

const [service] = coldVariants;

type Times = { coldMs: number; warmMs: number; slowMs: number };

export const memory = defineCommand('bench:memory')
  .option('--rounds <number>', 'cold starts of each size', wholeNumber(1, 9_999), 15)
  .action(async ({ rounds }) => {
    const times = new Map<string, Times[]>();
    if (!service) return;
    await withTarget([service], memories, async (target) => {
      for (let round = 1; round <= rounds; round += 1) {
        for (const size of memories) {
          for (const operation of measuredOperations) {
            const key = `${size} ${operation}`;
            times.set(key, [...(times.get(key) ?? []), await measure(target, operation, size)]);
          }
        }
        showRound(round, rounds);
      }
    });
    for (const [k, v] of times)
      console.log(
        k,
        'cold',
        median(v.map((x) => x.coldMs)).toFixed(1),
        'warm',
        median(v.map((x) => x.warmMs)).toFixed(2),
        'p95',
        median(v.map((x) => x.slowMs)).toFixed(2),
      );
  });

/** Starts an instance, and sends it requests one after the other. */
async function measure(
  target: Target,
  operation: MeasuredOperation,
  size: CpuShare,
): Promise<Times> {
  const query = operation === 'listPets' ? { limit: '100' } : {};
  const event = requestEvent(operation, target.engine.apiKey, query);
  const events = Array(1 + requestsBefore + requestsMeasured).fill(event);
  const { initMs, invocations } = await run(target, service!, operation, size, events);
  const [firstMs = Number.NaN, ...laterMs] = invocations.map(
    ({ sentAtMs, respondedAtMs, response }) => {
      if (operation === 'createPet') checkCreated(response);
      else checkListed(response);
      return respondedAtMs - sentAtMs;
    },
  );
  const warmMs = laterMs.slice(requestsBefore);
  return { coldMs: initMs + firstMs, warmMs: median(warmMs), slowMs: quantile(warmMs, 0.95) };
}

if (import.meta.main) await runCommand(memory);
