import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPetStoreClient } from '../../client/src/createPetStoreClient.ts';
import { defineCommand, print, runCommand, wholeNumber } from '../../infra/tools/command.ts';
import { type LocalProcess, startLocalService } from '../helpers/startLocalService.ts';
import { installAutocannon, type LoadResult, requestMix } from './load/autocannon.ts';
import { machine, markdownTable, whole, writeSection } from './report.ts';
import { median, slope } from './stats.ts';

export const load = defineCommand(
  'bench:load',
  'Puts the local service under load, and watches its memory.',
)
  .option(
    '--clients <number>',
    'clients at the same time, one request at a time each',
    wholeNumber(1, 10_000),
    50,
  )
  .option('--seconds <number>', 'duration', wholeNumber(1, 99_999), 60)
  .option('--warm-up <number>', 'seconds of the same load before', wholeNumber(1, 99_999), 300)
  .option('--seed <number>', 'made-up pets at the beginning', wholeNumber(0, 1_000_000), 10_000)
  .option('--write', 'update docs/load.md')
  .addHelpText(
    'after',
    '\nThe exit code is 1 if a request fails or an acknowledged pet is missing.',
  )
  .action(measureLoad);

type Options = ReturnType<typeof load.opts>;

/** In MB, as Linux counts them. */
type Memory = {
  /** Memory of the process: heap, engine, stacks. */
  own: number;
  /** Pages of mapped files (the store, Node.js), which the system drops when memory is short. */
  mapped: number;
};

/** Returns `undefined` on systems other than Linux. */
async function readMemory(pid: number | undefined): Promise<Memory | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const megabytes = (line: RegExp) => Number(line.exec(status)?.[1]) / 1_024;
  const own = megabytes(/^RssAnon:\s+(\d+) kB$/m);
  const mapped = megabytes(/^RssFile:\s+(\d+) kB$/m);
  return Number.isNaN(own) ? undefined : { own, mapped };
}

async function countPets({ baseAddress, apiKey }: LocalProcess): Promise<number> {
  const petStore = createPetStoreClient({ baseAddress, apiKey });
  const pets = await Array.fromAsync(petStore.allPets());
  return pets.length;
}

type MemorySample = Memory & { elapsedSeconds: number };

async function measureLoad(options: Options): Promise<void> {
  const autocannon = installAutocannon();
  const { clients, seed: seededPets } = options;
  const folder = await mkdtemp(join(tmpdir(), 'petstore-load-'));
  const service = await startLocalService(['--data', folder, '--seed', String(seededPets)]);
  const sendFor = (seconds: number) =>
    autocannon({
      url: new URL(service.baseAddress).origin,
      connections: clients,
      duration: seconds,
      headers: { Authorization: `Bearer ${service.apiKey}` },
      requests: requestMix(seededPets),
    });
  // The memory of the process settles after about 200,000 requests.
  const warmUp = await sendFor(options.warmUp);
  const memory: MemorySample[] = [];
  const startedAtMs = performance.now();
  const sampling = setInterval(async () => {
    const elapsedSeconds = (performance.now() - startedAtMs) / 1_000;
    const sample = await readMemory(service.child.pid);
    if (sample) memory.push({ elapsedSeconds, ...sample });
  }, 1_000);
  const result = await sendFor(options.seconds);
  clearInterval(sampling);
  const createdPets = (await countPets(service)) - seededPets;
  await service.stop();
  await rm(folder, { recursive: true });

  const report = `${machine()}.\n\n${loadTable(options, result, memory)}`;
  print(report);
  assertSuccess([warmUp, result], createdPets, clients);
  if (options.write) writeSection('docs/load.md', 'load', report);
}

/** The last request of each client is cut off, so its pet may be stored without a response. */
function assertSuccess(results: readonly LoadResult[], createdPets: number, clients: number): void {
  for (const { errors, timeouts, non2xx, statusCodeStats } of results) {
    if (errors + timeouts + non2xx === 0) continue;
    const failures = JSON.stringify({ errors, timeouts, non2xx, statusCodeStats });
    throw new Error(`Requests failed: ${failures}`);
  }
  const acknowledged = results
    .map(({ statusCodeStats }) => statusCodeStats['201']?.count ?? 0)
    .reduce((sum, count) => sum + count);
  if (createdPets < acknowledged || createdPets > acknowledged + results.length * clients) {
    throw new Error(`${acknowledged} pets were acknowledged, and ${createdPets} are stored.`);
  }
}

function loadTable(options: Options, result: LoadResult, memory: readonly MemorySample[]): string {
  const { errors, timeouts, non2xx, requests, latency, duration, statusCodeStats } = result;
  const rows = [
    ['Clients at once', whole.format(options.clients)],
    ['Seconds', whole.format(duration)],
    ['Pets at the beginning', whole.format(options.seed)],
    ['Requests', whole.format(requests.total)],
    ['Requests a second', whole.format(requests.average)],
    ['Pets created', whole.format(statusCodeStats['201']?.count ?? 0)],
    ['Errors, time-outs, responses other than 2xx', `${errors}, ${timeouts}, ${non2xx}`],
    ['Latency, median', `${latency.p50} ms`],
    ['Latency, 99th percentile', `${latency.p99} ms`],
    ['Latency, maximum', `${latency.max} ms`],
    ...memoryRows('Memory of its own', memory, 'own'),
    ...memoryRows('Mapped files', memory, 'mapped'),
  ];
  return markdownTable(['', ''], rows);
}

function memoryRows(title: string, samples: readonly MemorySample[], part: keyof Memory) {
  if (samples.length === 0) return [[title, 'measured on Linux only']];
  const half = Math.floor(samples.length / 2);
  const medianMb = (some: typeof samples) => whole.format(median(some.map((each) => each[part])));
  const perMinute = slope(samples.map((each) => [each.elapsedSeconds / 60, each[part]]));
  return [
    [`${title}, median of the first half`, `${medianMb(samples.slice(0, half))} MB`],
    [`${title}, median of the second half`, `${medianMb(samples.slice(half))} MB`],
    [`${title}, slope`, `${perMinute.toFixed(1)} MB a minute`],
  ];
}

if (import.meta.main) await runCommand(load);
