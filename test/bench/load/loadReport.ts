import { machine } from '../machine.ts';
import { markdownTable } from '../markdownTable.ts';
import { median } from '../median.ts';
import { slope } from '../slope.ts';
import type { LoadResult } from './installAutocannon.ts';

export type MemorySample = { elapsedSeconds: number; megabytes: number };

type LoadRun = {
  clients: number;
  seededPets: number;
  result: LoadResult;
  memory: readonly MemorySample[];
};

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

/** What came of the load, in Markdown. */
export function loadReport({ clients, seededPets, result, memory }: LoadRun): string {
  const { errors, timeouts, non2xx, requests, latency, duration, statusCodeStats } = result;
  const half = Math.floor(memory.length / 2);
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
      ['Memory, median of the first half', describeMb(medianMb(memory.slice(0, half)))],
      ['Memory, median of the second half', describeMb(medianMb(memory.slice(half)))],
      ['Memory, slope', `${slopePerMinute(memory).toFixed(1)} MB a minute`],
    ],
  );
  return `${machine()}.\n\n${table}`;
}

function describeMb(megabytes: number): string {
  return `${whole.format(megabytes)} MB`;
}

function medianMb(samples: readonly MemorySample[]): number {
  return median(samples.map(({ megabytes }) => megabytes));
}

function slopePerMinute(samples: readonly MemorySample[]): number {
  return slope(samples.map(({ elapsedSeconds, megabytes }) => [elapsedSeconds / 60, megabytes]));
}
