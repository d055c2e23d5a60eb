import { machine } from '../machine.ts';
import { markdownTable } from '../markdownTable.ts';
import { median } from '../median.ts';
import { slope } from '../slope.ts';
import type { LoadResult } from './installAutocannon.ts';
import type { Memory } from './LocalService.ts';

export type MemorySample = Memory & { elapsedSeconds: number };

type LoadRun = {
  clients: number;
  seededPets: number;
  result: LoadResult;
  memory: readonly MemorySample[];
};

type Row = [string, string];

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

/** What came of the load, in Markdown. */
export function loadReport({ clients, seededPets, result, memory }: LoadRun): string {
  const { errors, timeouts, non2xx, requests, latency, duration, statusCodeStats } = result;
  const table = markdownTable(
    ['', ''],
    [
      ['Clients at once', whole.format(clients)],
      ['Seconds', whole.format(duration)],
      ['Pets at the beginning', whole.format(seededPets)],
      ['Requests', whole.format(requests.total)],
      ['Requests a second', whole.format(requests.average)],
      ['Pets created', whole.format(statusCodeStats['201']?.count ?? 0)],
      ['Errors, time-outs, answers other than 2xx', `${errors}, ${timeouts}, ${non2xx}`],
      ['Latency, median', `${latency.p50} ms`],
      ['Latency, 99 of 100 are faster', `${latency.p99} ms`],
      ['Latency, longest', `${latency.max} ms`],
      ...memoryRows('Memory of its own', memory, 'own'),
      ...memoryRows('Mapped files', memory, 'mapped'),
    ],
  );
  return `${machine()}.\n\n${table}`;
}

function memoryRows(title: string, samples: readonly MemorySample[], part: keyof Memory): Row[] {
  if (samples.length === 0) return [[title, 'counted on Linux only']];
  const half = Math.floor(samples.length / 2);
  const medianMb = (some: typeof samples) => whole.format(median(some.map((each) => each[part])));
  const perMinute = slope(samples.map((each) => [each.elapsedSeconds / 60, each[part]]));
  return [
    [`${title}, median of the first half`, `${medianMb(samples.slice(0, half))} MB`],
    [`${title}, median of the second half`, `${medianMb(samples.slice(half))} MB`],
    [`${title}, slope`, `${perMinute.toFixed(1)} MB a minute`],
  ];
}
