import { variants } from './coldVariants.ts';
import type { CpuShare } from './cpuShare.ts';
import type { MeasuredOperation } from './events.ts';
import { median } from './median.ts';
import { type Bar, stackedBars } from './stackedBars.ts';
import { table, writeResults } from './writeResults.ts';

export type ColdRun = {
  variant: string;
  operation: MeasuredOperation;
  cpu: CpuShare;
  /** From the start of the process to the first question for an event. */
  initMs: number;
  /** From the event to its answer. */
  invocationMs: number;
  totalMs: number;
};

type Phase = 'initMs' | 'invocationMs' | 'totalMs';

/** What the service shall reach, as the ratio of its median to another's. */
const targets: { phase: Phase; cpu: CpuShare; variant: string; most: number }[] = [
  { phase: 'totalMs', cpu: 'full', variant: 'unbundled', most: 0.5 },
  { phase: 'totalMs', cpu: '512 MB', variant: 'unbundled', most: 0.4 },
  { phase: 'totalMs', cpu: 'full', variant: 'esbuild', most: 0.65 },
  { phase: 'totalMs', cpu: 'full', variant: 'raw', most: 1.45 },
  { phase: 'totalMs', cpu: '512 MB', variant: 'raw', most: 1.25 },
  { phase: 'invocationMs', cpu: 'full', variant: 'unbundled', most: 0.35 },
  { phase: 'invocationMs', cpu: '512 MB', variant: 'unbundled', most: 0.35 },
];

const phaseNames = { initMs: 'init', invocationMs: 'first invocation', totalMs: 'total' };

/** Shows the medians and their ratios; `isWritten` puts them into the documentation, too. */
export function reportCold(runs: readonly ColdRun[], { isWritten }: { isWritten: boolean }): void {
  const operations = [...new Set(runs.map(({ operation }) => operation))];
  const cpus = [...new Set(runs.map(({ cpu }) => cpu))];
  const measured = variants.filter(({ name }) => runs.some(({ variant }) => variant === name));

  function medianOf(variant: string, operation: string, cpu: string, phase: Phase): number {
    const chosen = runs.filter(
      (run) => run.variant === variant && run.operation === operation && run.cpu === cpu,
    );
    return median(chosen.map((run) => run[phase]));
  }

  const tables = cpus.map((cpu) => {
    const rows = measured.map(({ name, description }) => [
      description,
      ...operations.flatMap((operation) => {
        const ms = (phase: Phase) => medianOf(name, operation, cpu, phase).toFixed(1);
        const ratio =
          medianOf('service', operation, cpu, 'totalMs') /
          medianOf(name, operation, cpu, 'totalMs');
        return [ms('initMs'), ms('invocationMs'), ms('totalMs'), ratio.toFixed(2)];
      }),
    ]);
    const head = operations.flatMap((name) => [
      `${name}: init`,
      'first',
      'total',
      'service ÷ this',
    ]);
    return `${cpu}, medians in ms\n\n${table(['', ...head], rows)}`;
  });

  const kept = targets
    .filter(({ cpu, variant }) => runs.some((run) => run.cpu === cpu && run.variant === variant))
    .map(({ phase, cpu, variant, most }) => [
      `${phaseNames[phase]} against ${variant}, ${cpu}`,
      `≤ ${most.toFixed(2)}`,
      ...operations.map((operation) => {
        const [own, other] = ['service', variant].map((name) =>
          medianOf(name, operation, cpu, phase),
        ) as [number, number];
        return `${(own / other).toFixed(2)}${own / other <= most ? '' : ' (missed)'}`;
      }),
    ]);
  const rounds = runs.filter(
    ({ variant, operation, cpu }) =>
      variant === 'service' && operation === operations[0] && cpu === cpus[0],
  ).length;

  const barsOf = (cpu: CpuShare): Bar[] =>
    measured.map(({ name }) => ({
      label: name,
      parts: (['initMs', 'invocationMs'] as const).map((phase) =>
        medianOf(name, 'createPet', cpu, phase),
      ),
    }));
  writeResults({
    name: 'cold',
    isWritten,
    rounds,
    markdown: [table(['Ratio of medians', 'Target', ...operations], kept), ...tables].join('\n\n'),
    results: Object.fromEntries(
      cpus.map((cpu) => [
        cpu,
        Object.fromEntries(
          operations.map((operation) => [
            operation,
            Object.fromEntries(
              measured.map(({ name }) => [
                name,
                Object.fromEntries(
                  (['initMs', 'invocationMs', 'totalMs'] as const).map((phase) => [
                    phase,
                    Number(medianOf(name, operation, cpu, phase).toFixed(2)),
                  ]),
                ),
              ]),
            ),
          ]),
        ),
      ]),
    ),
    plot: stackedBars({
      title: 'Cold start of createPet: init and first invocation, median',
      unit: 'ms',
      partNames: ['init', 'first invocation'],
      groups: cpus.map((cpu) => ({ title: cpu, bars: barsOf(cpu) })),
    }),
  });
}
