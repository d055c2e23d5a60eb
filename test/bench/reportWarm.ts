import type { MeasuredOperation } from './events.ts';
import { median } from './median.ts';
import { stackedBars } from './stackedBars.ts';
import { warmVariants } from './warmVariants.ts';
import { table, writeResults } from './writeResults.ts';

export type WarmRun = {
  variant: string;
  operation: MeasuredOperation;
  round: number;
  cpuUs: number;
};

/** What an invocation of the service may cost beyond its calls of DynamoDB. */
const targetUs = { createPet: 60, listPets: 80 };

/** Shows the medians, and those of the differences to the bare calls of the same round. */
export function reportWarm(runs: readonly WarmRun[], { isWritten }: { isWritten: boolean }): void {
  const operations = [...new Set(runs.map(({ operation }) => operation))];
  const measured = warmVariants.filter(({ name }) => runs.some(({ variant }) => variant === name));

  function cpuUsOf(variant: string, operation: string): number[] {
    return runs
      .filter((run) => run.variant === variant && run.operation === operation)
      .map(({ cpuUs }) => cpuUs);
  }

  function overheadUs(variant: string, operation: string): number {
    const bare = cpuUsOf('bare', operation);
    return median(cpuUsOf(variant, operation).map((us, round) => us - (bare[round] ?? 0)));
  }

  const rows = measured.map(({ name, description }) => [
    description,
    ...operations.flatMap((operation) => [
      median(cpuUsOf(name, operation)).toFixed(0),
      overheadUs(name, operation).toFixed(0),
      (median(cpuUsOf(name, operation)) / median(cpuUsOf('bare', operation))).toFixed(2),
    ]),
  ]);
  const head = operations.flatMap((name) => [`${name}: µs`, 'beyond the calls', '÷ the calls']);
  const goal = operations.map((name) => `${name} ≤ ${targetUs[name]} µs`).join(', ');
  writeResults({
    name: 'warm',
    isWritten,
    rounds: runs.filter(
      ({ variant, operation }) => variant === 'bare' && operation === operations[0],
    ).length,
    markdown: `CPU time of one invocation, medians. Target beyond the calls: ${goal}.\n\n${table(['', ...head], rows)}`,
    results: Object.fromEntries(
      operations.map((operation) => [
        operation,
        Object.fromEntries(
          measured.map(({ name }) => [
            name,
            {
              cpuUs: Math.round(median(cpuUsOf(name, operation))),
              overheadUs: Math.round(overheadUs(name, operation)),
            },
          ]),
        ),
      ]),
    ),
    plot: stackedBars({
      title: 'CPU time of one invocation: the DynamoDB calls, and what comes on top',
      unit: 'µs',
      partNames: ['calls', 'beyond'],
      groups: operations.map((operation) => ({
        title: operation,
        bars: measured.map(({ name }) => ({
          label: name,
          parts: [median(cpuUsOf('bare', operation)), Math.max(0, overheadUs(name, operation))],
        })),
      })),
    }),
  });
}
