import { print } from '../../infra/tools/command.ts';
import type { Lever } from './levers.ts';
import { machine, markdownTable, writeSection } from './report.ts';
import type { MeasuredOperation } from './requests.ts';
import { median, quantile } from './stats.ts';
import type { Variant } from './variants.ts';

type Measure = 'initMs' | 'invocationMs' | 'totalMs' | 'cpuUs';

/** One variant in one round: a cold start in ms, or the CPU time of a warm request in µs. */
export type Run = {
  variant: string;
  operation: MeasuredOperation;
  /** The share of a processor; empty for warm requests. */
  cpu: string;
} & { [measure in Measure]?: number };

/** The largest allowed medians of the ratios of the service to a variant in the same round. */
const targets: { measure: Measure; variant: string; cpu: string; ratio: number }[] = [
  { measure: 'totalMs', variant: 'unbundled', cpu: 'full', ratio: 0.42 },
  { measure: 'totalMs', variant: 'unbundled', cpu: '512 MB', ratio: 0.42 },
  { measure: 'totalMs', variant: 'esbuild', cpu: 'full', ratio: 0.6 },
  { measure: 'totalMs', variant: 'esbuild', cpu: '512 MB', ratio: 0.6 },
  { measure: 'totalMs', variant: 'raw', cpu: 'full', ratio: 1.45 },
  { measure: 'totalMs', variant: 'raw', cpu: '512 MB', ratio: 1.25 },
  { measure: 'invocationMs', variant: 'unbundled', cpu: 'full', ratio: 0.3 },
  { measure: 'invocationMs', variant: 'unbundled', cpu: '512 MB', ratio: 0.3 },
];

export function coldReport(runs: readonly Run[], variants: readonly Variant[]): string {
  const { operations, cpus, medianOf, ratiosOf } = summary(runs);
  const ratio = (measure: Measure, cpu: string, operation: MeasuredOperation, variant: string) =>
    median(ratiosOf(measure, cpu, operation, 'service', variant));

  const tables = cpus.map((cpu) => {
    const head = operations.flatMap((name) => [
      `${name}: init`,
      'first',
      'total',
      'service ÷ this',
    ]);
    const rows = variants.map(({ name, description }) => [
      description,
      ...operations.flatMap((operation) => [
        medianOf('initMs', cpu, operation, name).toFixed(1),
        medianOf('invocationMs', cpu, operation, name).toFixed(1),
        medianOf('totalMs', cpu, operation, name).toFixed(1),
        ratio('totalMs', cpu, operation, name).toFixed(2),
      ]),
    ]);
    return `${cpu}, medians in ms\n\n${markdownTable(['', ...head], rows)}`;
  });

  const rows = targets
    .filter(({ cpu, variant }) => runs.some((run) => run.cpu === cpu && run.variant === variant))
    .map(({ measure, variant, cpu, ratio: target }) => [
      `${measure === 'totalMs' ? 'total' : 'first invocation'} ÷ that of ${variant}, ${cpu}`,
      `≤ ${target.toFixed(2)}`,
      ...operations.map((operation) => {
        const reached = ratio(measure, cpu, operation, variant);
        return `${reached.toFixed(2)}${reached <= target ? '' : ' (missed)'}`;
      }),
    ]);
  const ratios = markdownTable(['Ratio, median of the rounds', 'Target', ...operations], rows);
  return [...(rows.length > 0 ? [ratios] : []), ...tables].join('\n\n');
}

export function warmReport(runs: readonly Run[], variants: readonly Variant[]): string {
  const { operations, medianOf, ratiosOf } = summary(runs);
  const head = operations.flatMap((name) => [`${name}: µs`, 'beyond the calls', '÷ the calls']);
  const rows = variants.map(({ name, description }) => [
    description,
    ...operations.flatMap((operation) => {
      const cpuUs = medianOf('cpuUs', '', operation, name);
      const callsUs = medianOf('cpuUs', '', operation, 'calls');
      const ratio = median(ratiosOf('cpuUs', '', operation, name, 'calls'));
      return [cpuUs.toFixed(0), (cpuUs - callsUs).toFixed(0), ratio.toFixed(2)];
    }),
  ]);
  return `CPU time of one request, medians\n\n${markdownTable(['', ...head], rows)}`;
}

/** Shows what share of the time each lever saves: the median of the rounds, and their quartiles. */
export function leverReport(runs: readonly Run[], levers: readonly Lever[]): string {
  const { operations, cpus, ratiosOf } = summary(runs);
  const columns = cpus.flatMap((cpu) => operations.map((operation) => ({ cpu, operation })));
  const head = columns.map(({ cpu, operation }) => (cpu ? `${operation}, ${cpu}` : operation));
  const rows = levers.map(({ name, description, lines }) => [
    `\`${name}\``,
    description,
    String(lines),
    ...columns.map(({ cpu, operation }) => {
      const measure = cpu ? 'totalMs' : 'cpuUs';
      const savings = ratiosOf(measure, cpu, operation, 'service', name).map((ratio) => 1 - ratio);
      const [low, high] = [quantile(savings, 0.25), quantile(savings, 0.75)];
      return `${percent(median(savings))} % (${percent(low)} to ${percent(high)})`;
    }),
  ]);
  const table = markdownTable(['Lever', 'What it is', 'Lines', ...head], rows);
  return `Time that each lever saves: median, and quartiles, of the rounds\n\n${table}`;
}

function percent(share: number): string {
  return (share * 100).toFixed(1).replace(/^-0\.0$/, '0.0');
}

function summary(runs: readonly Run[]) {
  function timesOf(measure: Measure, cpu: string, operation: string, variant: string): number[] {
    return runs
      .filter((run) => run.cpu === cpu && run.operation === operation && run.variant === variant)
      .map((run) => run[measure] ?? Number.NaN);
  }
  return {
    operations: [...new Set(runs.map(({ operation }) => operation))],
    cpus: [...new Set(runs.map(({ cpu }) => cpu))],
    /** The ratio of two variants in each round. */
    ratiosOf(measure: Measure, cpu: string, operation: string, variant: string, other: string) {
      const others = timesOf(measure, cpu, operation, other);
      return timesOf(measure, cpu, operation, variant).map(
        (time, round) => time / (others[round] ?? Number.NaN),
      );
    },
    medianOf: (...of: Parameters<typeof timesOf>) => median(timesOf(...of)),
  };
}

type Publication = { section: string; rounds: number; isWritten: boolean };

/** Prints the tables. `isWritten` also writes them into their section of docs/performance.md. */
export function publish(tables: string, { section, rounds, isWritten }: Publication): void {
  const text = `Measured on ${machine()}, in ${rounds} rounds.\n\n${tables}`;
  print(text);
  if (isWritten) writeSection('docs/performance.md', section, text);
}
